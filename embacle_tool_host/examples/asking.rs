//! A tool that asks the user first, written once for clients of both eras.
//!
//! ```text
//! cargo run -p embacle_tool_host --example asking
//! ```

use std::error::Error;

use embacle_tool_host::ir::ElicitResult;
use embacle_tool_host::{Answer, CallContext, StaticSurface, ToolOutcome, form_of_json, tool};

const FORM: &str = r#"{"type":"object","properties":{"sure":{"type":"boolean"}}}"#;

/// Deletes only what the user agrees to.
async fn delete(context: CallContext) -> ToolOutcome {
    let Ok(question) = form_of_json("Delete the file?", FORM) else {
        return ToolOutcome::failed("the form is wrong");
    };
    // On 2026-07-28 the call ends here, and runs again from the start with the answer.
    match context.ask("sure", question).await {
        Ok(Answer::Elicit(ElicitResult { action, .. })) if action == "accept" => {
            ToolOutcome::text("deleted")
        }
        Ok(_) => ToolOutcome::declined("the user does not want that"),
        Err(error) => ToolOutcome::declined(error.to_string()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let surface = StaticSurface::new()
        .with(tool("delete", "Deletes a file.", r#"{"type":"object"}"#)?, |_, context| {
            delete(context)
        })?;
    embacle_tool_host::serve_stdio(surface).await?;
    Ok(())
}
