//! Progress and cancellation.

use protocol_droid_ir::{CancelledParams, ProgressParams};

use crate::wire::wire;

wire! {
    ProgressParams = "ProgressNotificationParams" {
        req progress_token: "progressToken",
        req progress: "progress",
        opt total: "total",
        opt message: "message" if ProgressMessage,
        bag meta: "_meta",
    }
}

wire! {
    CancelledParams = "CancelledNotificationParams" {
        may request_id: "requestId" if CancelledWithoutRequest,
        opt reason: "reason",
        bag meta: "_meta",
    }
}
