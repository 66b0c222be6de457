//! What agents are told, each in its own words, so that they find a session.
//!
//! A secret stands in a header or in the environment, never on a command line. The forms are those of
//! the agents' own documentation, named at each.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::keys::{digest, random_name};
use crate::session::ToolSession;

/// How an agent reaches a session. `Debug` does not show the bearer.
#[derive(Clone)]
pub struct AgentConfig {
    name: String,
    url: String,
    bearer: Option<String>,
    variable: String,
    connect: Option<String>,
}

impl ToolSession {
    /// The session for the configuration of an agent, under the name of its server.
    pub fn agent_config(&self) -> AgentConfig {
        let bearer = self.bearer().map(str::to_owned);
        // Unlike that of another session in the same configuration, and no secret.
        let known = digest(&[b"variable", bearer.as_deref().unwrap_or_default().as_bytes()]);
        let mark = u32::from_be_bytes([known[0], known[1], known[2], known[3]]);
        AgentConfig {
            name: self.name().to_owned(),
            url: self.url().to_owned(),
            bearer,
            variable: format!("DROID_TOKEN_{mark:08X}"),
            connect: None,
        }
    }
}

impl AgentConfig {
    /// Under another name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// At another URL: that of the server which a host without a listener is mounted in, or of
    /// whatever stands before the host.
    #[must_use]
    pub fn at(mut self, url: impl Into<String>) -> Self {
        self.url = url.into();
        self
    }

    /// With the bearer in an environment variable of this name, where a configuration names one;
    /// `DROID_TOKEN_` and eight digits of the session's own if not said.
    #[must_use]
    pub fn with_token_variable(mut self, name: impl Into<String>) -> Self {
        self.variable = name.into();
        self
    }

    /// By a command that the agent starts and talks to on stdio, for agents that know no HTTP:
    /// `program connect --url … --token-env DROID_TOKEN_…`.
    #[must_use]
    pub fn by_command(mut self, program: impl Into<String>) -> Self {
        self.connect = Some(program.into());
        self
    }

    /// The array `mcpServers` of `session/new` of the Agent Client Protocol
    /// (<https://agentclientprotocol.com/protocol/session-setup>).
    pub fn acp(&self) -> Value {
        let pair = |(name, value): (String, String)| json!({"name": name, "value": value});
        let name = &self.name;
        json!([match &self.connect {
            Some(program) => {
                let env: Vec<_> = self.environment().into_iter().map(pair).collect();
                json!({"name": name, "command": program, "args": self.arguments(), "env": env})
            }
            None => {
                let headers: Vec<_> = self.headers().into_iter().map(pair).collect();
                json!({"type": "http", "name": name, "url": self.url, "headers": headers})
            }
        }])
    }

    /// The file of `claude --mcp-config` (<https://code.claude.com/docs/en/mcp>). The name is
    /// [plain](Self::plain_name).
    pub fn claude_code(&self) -> Value {
        self.servers("mcpServers", &self.plain_name(), "stdio")
    }

    /// The file of `copilot --additional-mcp-config`, and `~/.copilot/mcp-config.json`
    /// (<https://docs.github.com/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers>).
    /// The name is [plain](Self::plain_name).
    pub fn copilot_cli(&self) -> Value {
        let name = self.plain_name();
        let mut config = self.servers("mcpServers", &name, "local");
        config["mcpServers"][name]["tools"] = json!(["*"]);
        config
    }

    /// The file `mcp.json` of Visual Studio Code
    /// (<https://code.visualstudio.com/docs/copilot/reference/mcp-configuration>).
    pub fn vs_code(&self) -> Value {
        self.servers("servers", &self.name, "stdio")
    }

    /// The member `mcpServers` of the settings of Gemini CLI
    /// (<https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md>).
    pub fn gemini_cli(&self) -> Value {
        json!({"mcpServers": {&self.name: self.server("httpUrl")}})
    }

    /// The member `mcp` of the configuration of opencode, in the form that both of its versions read
    /// (<https://opencode.ai/v1/docs/mcp-servers>).
    pub fn opencode(&self) -> Value {
        let server = match &self.connect {
            Some(program) => {
                let command: Vec<_> =
                    [program.clone()].into_iter().chain(self.arguments()).collect();
                let environment = object(self.environment());
                json!({"type": "local", "command": command, "environment": environment})
            }
            None => {
                json!({"type": "remote", "url": self.url, "headers": object(self.headers())})
            }
        };
        json!({"mcp": {&self.name: server}})
    }

    /// The member `context_servers` of the settings of Zed
    /// (<https://zed.dev/docs/ai/mcp>).
    pub fn zed(&self) -> Value {
        json!({"context_servers": {&self.name: self.server("url")}})
    }

    /// The table of the configuration of Codex, in TOML; it reads the bearer from the environment
    /// that [`environment`](Self::environment) is. The name is [plain](Self::plain_name)
    /// (<https://developers.openai.com/codex/mcp>).
    pub fn codex(&self) -> String {
        let table = format!("[mcp_servers.{}]\n", toml(&self.plain_name()));
        match &self.connect {
            Some(program) => {
                let arguments: Vec<_> = self.arguments().iter().map(|a| toml(a)).collect();
                let variables =
                    if self.bearer.is_some() { toml(&self.variable) } else { String::new() };
                format!(
                    "{table}command = {}\nargs = [{}]\nenv_vars = [{variables}]\n",
                    toml(program),
                    arguments.join(", "),
                )
            }
            None => {
                let url = toml(&self.url);
                let token = match &self.bearer {
                    Some(_) => format!("bearer_token_env_var = {}\n", toml(&self.variable)),
                    None => String::new(),
                };
                format!("{table}url = {url}\n{token}")
            }
        }
    }

    /// The name for agents that refuse others than of `A-Z a-z 0-9 _ -`: what else there is
    /// becomes `_`.
    pub fn plain_name(&self) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        self.name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
    }

    /// The environment of an agent whose configuration names a variable that holds the bearer.
    pub fn environment(&self) -> Vec<(String, String)> {
        let bearer = self.bearer.iter();
        bearer.map(|bearer| (self.variable.clone(), bearer.clone())).collect()
    }

    fn headers(&self) -> Vec<(String, String)> {
        let bearer = self.bearer.iter();
        bearer.map(|bearer| ("Authorization".to_owned(), format!("Bearer {bearer}"))).collect()
    }

    fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["connect".to_owned(), "--url".to_owned(), self.url.clone()];
        if self.bearer.is_some() {
            arguments.extend(["--token-env".to_owned(), self.variable.clone()]);
        }
        arguments
    }

    /// How to reach the session; `url` is the agent's name for a URL.
    fn server(&self, url: &str) -> Value {
        match &self.connect {
            Some(program) => {
                let environment = object(self.environment());
                json!({"command": program, "args": self.arguments(), "env": environment})
            }
            None => json!({url: self.url, "headers": object(self.headers())}),
        }
    }

    /// The form of most agents; `stdio` is their type of a command.
    fn servers(&self, member: &str, name: &str, stdio: &str) -> Value {
        let mut server = self.server("url");
        server["type"] = json!(if self.connect.is_some() { stdio } else { "http" });
        json!({member: {name: server}})
    }
}

impl fmt::Debug for AgentConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentConfig")
            .field("name", &self.name)
            .field("url", &self.url)
            .field("connect", &self.connect)
            .finish_non_exhaustive()
    }
}

fn object(pairs: Vec<(String, String)>) -> Value {
    pairs.into_iter().map(|(name, value)| (name, Value::String(value))).collect()
}

/// A basic string of TOML, or a quoted key.
fn toml(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Writes a configuration so that nobody else can read it (mode 0600 on Unix), whole or not at all.
///
/// # Errors
/// When the file cannot be written; what was there before is then still there.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}", random_name()));
    let written = options.open(&temporary).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let written = written.and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> AgentConfig {
        AgentConfig {
            name: "a \"b\" é".to_owned(),
            url: "http://127.0.0.1:1/mcp".to_owned(),
            bearer: Some("SECRET".to_owned()),
            variable: "DROID_TOKEN".to_owned(),
            connect: None,
        }
    }

    #[test]
    fn each_agent_is_told_in_its_own_words() {
        let (url, name) = ("http://127.0.0.1:1/mcp", "a \"b\" é");
        let headers = json!({"Authorization": "Bearer SECRET"});
        let config = config();
        assert_eq!(
            config.acp(),
            json!([{"type": "http", "name": name, "url": url, "headers": [{"name": "Authorization", "value": "Bearer SECRET"}]}])
        );
        let server = json!({"type": "http", "url": url, "headers": headers});
        assert_eq!(config.claude_code(), json!({"mcpServers": {"a__b___": server}}));
        assert_eq!(config.vs_code(), json!({"servers": {name: server}}));
        let tools = json!({"type": "http", "url": url, "headers": headers, "tools": ["*"]});
        assert_eq!(config.copilot_cli(), json!({"mcpServers": {"a__b___": tools}}));
        let gemini = json!({"httpUrl": url, "headers": headers});
        assert_eq!(config.gemini_cli(), json!({"mcpServers": {name: gemini}}));
        let remote = json!({"type": "remote", "url": url, "headers": headers});
        assert_eq!(config.opencode(), json!({"mcp": {name: remote}}));
        let zed = json!({"url": url, "headers": headers});
        assert_eq!(config.zed(), json!({"context_servers": {name: zed}}));
        assert_eq!(
            config.codex(),
            "[mcp_servers.\"a__b___\"]\nurl = \"http://127.0.0.1:1/mcp\"\nbearer_token_env_var = \"DROID_TOKEN\"\n"
        );
    }

    #[test]
    fn a_command_line_holds_no_secret() {
        let program = "C:\\droid \u{1}";
        let config = config().named("tools").by_command(program);
        let url = "http://127.0.0.1:1/mcp";
        let arguments = json!(["connect", "--url", url, "--token-env", "DROID_TOKEN"]);
        let env = json!({"DROID_TOKEN": "SECRET"});
        assert_eq!(
            config.acp(),
            json!([{"name": "tools", "command": program, "args": arguments, "env": [{"name": "DROID_TOKEN", "value": "SECRET"}]}])
        );
        let server = json!({"command": program, "args": arguments, "env": env});
        assert_eq!(config.gemini_cli(), json!({"mcpServers": {"tools": server}}));
        assert_eq!(config.zed(), json!({"context_servers": {"tools": server}}));
        let of_type = |kind: &str| {
            let mut server = server.clone();
            server["type"] = json!(kind);
            server
        };
        assert_eq!(config.claude_code(), json!({"mcpServers": {"tools": of_type("stdio")}}));
        assert_eq!(config.vs_code(), json!({"servers": {"tools": of_type("stdio")}}));
        let mut copilot = of_type("local");
        copilot["tools"] = json!(["*"]);
        assert_eq!(config.copilot_cli(), json!({"mcpServers": {"tools": copilot}}));
        let command = [program, "connect", "--url", url, "--token-env", "DROID_TOKEN"];
        let local = json!({"type": "local", "command": command, "environment": env});
        assert_eq!(config.opencode(), json!({"mcp": {"tools": local}}));
        assert_eq!(
            config.codex(),
            "[mcp_servers.\"tools\"]\ncommand = \"C:\\\\droid \\u0001\"\nargs = [\"connect\", \"--url\", \"http://127.0.0.1:1/mcp\", \"--token-env\", \"DROID_TOKEN\"]\nenv_vars = [\"DROID_TOKEN\"]\n"
        );
        assert_eq!(config.environment(), [("DROID_TOKEN".to_owned(), "SECRET".to_owned())]);
        assert!(!format!("{config:?}").contains("SECRET"));
        let moved = config.at("https://tools.example.com/mcp").with_token_variable("MINE");
        assert_eq!(moved.environment()[0].0, "MINE");
        assert_eq!(moved.acp()[0]["args"][2], "https://tools.example.com/mcp");
    }

    #[test]
    fn a_session_without_a_bearer_names_none() {
        let open = AgentConfig { bearer: None, ..config().named("a") };
        let url = "http://127.0.0.1:1/mcp";
        assert_eq!(open.acp()[0]["headers"], json!([]));
        assert_eq!(open.codex(), format!("[mcp_servers.\"a\"]\nurl = \"{url}\"\n"));
        let server = open.by_command("droid").claude_code()["mcpServers"]["a"].clone();
        assert_eq!(server["args"], json!(["connect", "--url", url]));
        assert_eq!(server["env"], json!({}));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("droid-{}", random_name()));
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("mcp.json");
        for text in ["{}", "{\"a\":1}"] {
            write_private(&path, text).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert!(write_private(&folder.join("none/mcp.json"), "{}").is_err());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing is left behind");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
