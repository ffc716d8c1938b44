// Starts the server of an unpacked bundle by its manifest, and compares its tools with those that the manifest tells of.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { box, info } from "./checks.mjs";

const folder = process.argv[2];
const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
const config = manifest.server.mcp_config;
const { command, args } = { ...config, ...config.platform_overrides[process.platform] };
const server = {
    command: command.replace("${__dirname}", folder),
    args,
    env: { ...config.env, HOME: join(box, "home"), CLAUDE_BIN: process.env.CCMCP_FAKE },
    cwd: join(box, "work"),
    stderr: "inherit",
};

const client = new Client(info);
await client.connect(new StdioClientTransport(server));
assert.equal(client.getServerVersion()?.version, manifest.version);
const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name), manifest.tools.map((tool) => tool.name));
await client.close();
