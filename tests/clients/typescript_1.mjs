// The TypeScript SDK 1.x as a client: one era, and it checks the structured content of errors too.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { check, info, server } from "./checks.mjs";

const client = new Client(info);
await client.connect(new StdioClientTransport(server));
await check(client, (call, options) => client.callTool(call, undefined, options));
await client.close();
