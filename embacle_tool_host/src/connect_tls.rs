//! Endpoints behind TLS: whose certificates are trusted, and what is said of those that are not.

use std::sync::Arc;

use http::Uri;
use hyper_rustls::HttpsConnector;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{CertificateError, ClientConfig, InvalidMessage, RootCertStore};

use crate::connect::ConnectError;
use crate::connect_reach::{Http, client, connector};

/// The authorities that are trusted beside those of the system.
#[derive(Clone, Default)]
pub(crate) struct Trust {
    added: Vec<CertificateDer<'static>>,
}

impl Trust {
    /// Trusts the authorities of these certificates, if each is one that can be.
    pub(crate) fn add(&mut self, pem: &[u8]) -> Result<(), String> {
        let mut roots = RootCertStore::empty();
        let before = self.added.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| error.to_string())?;
            roots.add(certificate.clone()).map_err(|error| error.to_string())?;
            self.added.push(certificate);
        }
        match self.added.len() > before {
            true => Ok(()),
            false => Err("expected certificates in PEM".to_owned()),
        }
    }

    pub(crate) fn client(self, uri: &Uri) -> Result<Http, ConnectError> {
        let roots = match uri.scheme_str() {
            Some("https") => self.roots()?,
            _ => RootCertStore::empty(),
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider has suites for both versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let mut http = connector();
        http.enforce_http(false);
        Ok(client(HttpsConnector::from((http, config))))
    }

    fn roots(self) -> Result<RootCertStore, ConnectError> {
        let mut roots = RootCertStore::empty();
        let system = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(system.certs);
        roots.add_parsable_certificates(self.added);
        if roots.is_empty() {
            let why = system.errors.first().map(|error| format!(": {error}")).unwrap_or_default();
            let text = format!("this system has no certificates of authorities to trust{why}");
            return Err(ConnectError::Authorities(text));
        }
        Ok(roots)
    }
}

/// Why there is no connection, in the words of who looks for one.
pub(crate) fn why(error: &rustls::Error) -> String {
    match error {
        // A signature is wrong where two authorities bear one name.
        rustls::Error::InvalidCertificate(
            CertificateError::UnknownIssuer
            | CertificateError::BadSignature
            | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. },
        ) => "its certificate is from no authority that is trusted here".to_owned(),
        // As the usual commands make one that signs itself.
        rustls::Error::InvalidCertificate(CertificateError::Other(error))
            if error.to_string().contains("CaUsedAsEndEntity") =>
        {
            "its certificate is that of an authority, which is no server's".to_owned()
        }
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "it does not speak TLS".to_owned()
        }
        error => error.to_string(),
    }
}
