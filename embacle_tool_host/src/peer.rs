//! Who a request comes from, and what that client can do.

use std::sync::{Arc, OnceLock};

use protocol_droid_codecs::{Codec, decode_value};
use protocol_droid_ir::{ClientCapabilities, Implementation, InitializeParams, RequestContext};

/// A client in the revision it speaks.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) codec: &'static dyn Codec,
    about: OnceLock<About>,
    /// The parameters of the handshake, read when somebody asks for them.
    handshake: Option<Vec<u8>>,
}

#[derive(Debug, Default)]
struct About {
    client_info: Option<Box<Implementation>>,
    capabilities: Box<ClientCapabilities>,
}

impl Peer {
    pub(crate) fn new(
        codec: &'static dyn Codec,
        client_info: Option<Box<Implementation>>,
        capabilities: Box<ClientCapabilities>,
    ) -> Self {
        Self { codec, about: OnceLock::from(About { client_info, capabilities }), handshake: None }
    }

    /// Who asks, taken out of what the request says of it.
    pub(crate) fn of_request(codec: &'static dyn Codec, context: &mut RequestContext) -> Arc<Self> {
        let capabilities = context.client_capabilities.take().unwrap_or_default();
        Arc::new(Self::new(codec, context.client_info.take(), capabilities))
    }

    /// A peer known by the parameters of its handshake, in the form of its revision.
    pub(crate) fn of_handshake(codec: &'static dyn Codec, handshake: Vec<u8>) -> Self {
        Self { codec, about: OnceLock::new(), handshake: Some(handshake) }
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.codec.version().is_modern()
    }

    pub(crate) fn client_info(&self) -> Option<&Implementation> {
        self.about().client_info.as_deref()
    }

    pub(crate) fn capabilities(&self) -> &ClientCapabilities {
        &self.about().capabilities
    }

    fn about(&self) -> &About {
        self.about.get_or_init(|| {
            let json = self.handshake.as_deref().unwrap_or_default();
            match decode_value::<InitializeParams>(self.codec, json) {
                Ok(params) => About {
                    client_info: Some(Box::new(params.value.client_info)),
                    capabilities: Box::new(params.value.capabilities),
                },
                Err(_) => About::default(),
            }
        })
    }
}
