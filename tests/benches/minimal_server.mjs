// The least that a server on the TypeScript SDK can be: one tool without arguments.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "minimal", version: "0" });
server.registerTool("hello", { description: "Says hello" }, () => ({ content: [{ type: "text", text: "hello" }] }));
await server.connect(new StdioServerTransport());
