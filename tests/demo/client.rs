//! The smallest MCP client: JSON lines through pipes.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use super::Result;

/// A server, and the pipes to it.
pub(crate) struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Client {
    /// Starts the server and shakes hands with it.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        let input = server.stdin.take();
        let output = BufReader::new(server.stdout.take().ok_or("the server has no standard output")?);
        let mut client = Self { server, input, output, last_id: 0 };
        let about = json!({ "name": "demo", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about });
        client.request("initialize", &params)?;
        client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// What the server offers.
    pub(crate) fn tools(&mut self) -> Result<Vec<Value>> {
        let answer = self.request("tools/list", &json!({}))?;
        Ok(answer["tools"].as_array().cloned().unwrap_or_default())
    }

    /// Calls a tool; gives its structured content.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Result<Value> {
        let answer = self.request("tools/call", &json!({ "name": name, "arguments": arguments }))?;
        Ok(answer["structuredContent"].clone())
    }

    /// Closes the server's input, which ends it.
    pub(crate) fn finish(mut self) -> Result<()> {
        drop(self.input.take());
        let status = self.server.wait()?;
        if status.success() { Ok(()) } else { Err(format!("the server ended with {status}").into()) }
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }))?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                return Err("the server ended without an answer".into());
            }
            let message: Value = serde_json::from_str(&line)?;
            if message["id"] == self.last_id {
                return match message.get("error") {
                    Some(error) => Err(error.to_string().into()),
                    None => Ok(message["result"].clone()),
                };
            }
        }
    }

    fn write(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().ok_or("the server's input is closed")?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Only when something failed: otherwise it has ended by itself.
        drop(self.input.take());
        self.server.wait().ok();
    }
}
