//! `droid connect` to a host behind TLS.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use embacle_tool_host::{Announcer, CallOutcome, HostConfig, ToolHost, ToolSession};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ServerConfig, SupportedProtocolVersion, crypto};

use crate::connect::{Agent, droid, modern, surface, until, with_a_handshake, without_a_handshake};
use crate::scratch;

/// A host behind TLS, with a certificate of an authority of its own.
struct Behind {
    host: ToolHost,
    session: ToolSession,
    port: u16,
    /// The certificate of the authority.
    ca_file: PathBuf,
}

impl Behind {
    /// With a certificate for `names`, of an authority of the name of the test.
    async fn tls(test: &str, names: &[&str], version: &'static SupportedProtocolVersion) -> Self {
        let authority = authority(test);
        let key = KeyPair::generate().unwrap();
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let leaf = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
        Self::showing(leaf.der(), &key, &authority, version).await
    }

    async fn showing(
        certificate: &CertificateDer<'static>,
        key: &KeyPair,
        authority: &Authority,
        version: &'static SupportedProtocolVersion,
    ) -> Self {
        let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        let config = ServerConfig::builder_with_provider(crypto::ring::default_provider().into())
            .with_protocol_versions(&[version])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let allowed_hosts = vec![format!("localhost:{port}"), format!("127.0.0.1:{port}")];
        let host = ToolHost::bind(HostConfig { allowed_hosts, ..HostConfig::default() });
        let host = host.await.unwrap();
        let session = host.open_session(surface()).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        tokio::spawn(relay(listener, acceptor, host.address().unwrap()));
        let ca_file = scratch(&format!("ca-{port}.pem"));
        std::fs::write(&ca_file, authority.pem()).unwrap();
        Self { host, session, port, ca_file }
    }

    fn droid(&self, host: &str) -> Command {
        let url = format!("https://{host}:{}/mcp", self.port);
        droid(&url, self.session.bearer().unwrap())
    }

    fn trusting(&self, host: &str) -> Command {
        let mut command = self.droid(host);
        command.arg("--ca-file").arg(&self.ca_file);
        command
    }

    async fn serves(&self, host: &str, test: fn(Agent, Announcer)) {
        let agent = Agent::run(&mut self.trusting(host));
        let announcer = self.session.announcer();
        tokio::task::spawn_blocking(move || test(agent, announcer)).await.unwrap();
    }
}

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// What comes by TLS goes on as it is.
async fn relay(listener: TcpListener, acceptor: TlsAcceptor, to: SocketAddr) {
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            let mut stream = acceptor.accept(stream).await?;
            let mut inner = TcpStream::connect(to).await?;
            tokio::io::copy_bidirectional(&mut stream, &mut inner).await
        });
    }
}

/// Has a command trust this file in the place of what its system trusts.
fn in_place_of_system(command: &mut Command, file: impl AsRef<OsStr>) {
    command.env("SSL_CERT_FILE", file).env_remove("SSL_CERT_DIR");
}

/// What is answered to each of two requests, the same.
async fn answers(mut command: Command, part: fn(&Value) -> String) -> String {
    let asked = tokio::task::spawn_blocking(move || {
        let mut agent = Agent::run(&mut command);
        let answers = [7, 8].map(|id| {
            let answer = agent.ask(&modern(id, "server/discover", json!({})));
            assert_eq!(answer["id"], id, "{answer}");
            part(&answer)
        });
        agent.end();
        answers
    });
    let [first, second] = asked.await.unwrap();
    assert_eq!(first, second);
    first
}

async fn errors(command: Command) -> String {
    answers(command, |answer| answer["error"]["message"].as_str().unwrap().to_owned()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_with_a_handshake_passes() {
    let behind = Behind::tls("of 1.3", &["localhost"], &TLS13).await;
    behind.serves("localhost", with_a_handshake).await;
    let session = &behind.session;
    until(|| session.calls().iter().any(|call| call.outcome == CallOutcome::Cancelled)).await;
    until(|| behind.host.remembered_clients() == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_speaks_for_itself_passes() {
    let behind = Behind::tls("of 1.2", &["127.0.0.1"], &TLS12).await;
    behind.serves("127.0.0.1", without_a_handshake).await;
    until(|| behind.session.calls_at_work() == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_is_not_trusted_is_told_for_each_request() {
    let behind = Behind::tls("untrusted", &["localhost"], &TLS13).await;
    let other = Behind::tls("other", &["localhost"], &TLS13).await;
    let mut command = behind.droid("localhost");
    in_place_of_system(&mut command, &other.ca_file);
    let expected = format!(
        "the endpoint at https://localhost:{} cannot be reached: its certificate is from no authority that is trusted here",
        behind.port
    );
    assert_eq!(errors(command).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authority_is_trusted_beside_those_of_the_system() {
    let added = Behind::tls("added", &["localhost"], &TLS13).await;
    let system = Behind::tls("system", &["localhost"], &TLS13).await;
    for behind in [&added, &system] {
        let mut command = behind.droid("localhost");
        command.arg("--ca-file").arg(&added.ca_file);
        in_place_of_system(&mut command, &system.ca_file);
        let answer = answers(command, |answer| answer["result"].to_string()).await;
        assert!(answer.contains("2026-07-28"), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_for_another_name_is_told_for_each_request() {
    let behind = Behind::tls("name", &["tools.example"], &TLS13).await;
    let answer = errors(behind.trusting("localhost")).await;
    let start = format!("the endpoint at https://localhost:{} cannot be reached: ", behind.port);
    assert!(answer.starts_with(&start), "{answer}");
    assert!(answer.contains(r#"not valid for name "localhost""#), "{answer}");
    assert!(answer.contains("tools.example"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_of_an_authority_is_no_servers() {
    let authority = authority("self");
    let behind = Behind::showing(authority.der(), authority.key(), &authority, &TLS13).await;
    let answer = errors(behind.trusting("localhost")).await;
    assert!(answer.ends_with("that of an authority, which is no server's"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_where_there_is_none_and_none_where_there_is() {
    let behind = Behind::tls("mixed", &["localhost"], &TLS13).await;
    let bearer = behind.session.bearer().unwrap();
    let plain = behind.host.address().unwrap();
    let mut command = droid(&format!("https://{plain}/mcp"), bearer);
    command.arg("--ca-file").arg(&behind.ca_file);
    let answer = errors(command).await;
    assert!(answer.ends_with("it does not speak TLS"), "{answer}");
    let answer = errors(droid(&format!("http://localhost:{}/mcp", behind.port), bearer)).await;
    assert!(answer.contains(&format!("http://localhost:{} cannot be reached", behind.port)));
}

#[test]
fn a_system_that_trusts_nobody_is_told_at_once() {
    let mut command = droid("https://localhost:1/mcp", "token");
    in_place_of_system(&mut command, "/no/such/file");
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("no certificates of authorities"), "{error}");
    assert!(error.contains("/no/such/file"), "{error}");
}
