// The TypeScript client 2.x: `legacy`, `auto` or `pinned` (2026-07-28).
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { check, info, server } from "./checks.mjs";

const modern = "2026-07-28";
const era = process.argv[2];
const mode = era === "pinned" ? { pin: modern } : era;
const client = new Client(info, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport(server));
const version = client.getNegotiatedProtocolVersion();
assert.equal(version === modern, era !== "legacy", `spoke ${version}`);
await check(client, (call, options) => client.callTool(call, options));
await client.close();
