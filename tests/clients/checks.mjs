// What both TypeScript clients check: the same calls, the same expectations.
import assert from "node:assert/strict";
import { join } from "node:path";

export const box = process.env.CCMCP_BOX;
export const server = { command: join(box, "serve"), args: [], cwd: join(box, "work"), stderr: "inherit" };
export const info = { name: "ccmcp-tests", version: "0" };

/** Lists the tools, runs one good call with progress and one with bad arguments. */
export async function check(client, callTool) {
    assert.equal(client.getServerVersion()?.name, "ccmcp");
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    assert.ok(names.includes("start_session") && names.includes("send_message"), `tools: ${names}`);

    const progress = [];
    const good = { name: "start_session", arguments: { cwd: join(box, "work"), initial_prompt: "hello", model: "haiku" } };
    const answer = await callTool(good, { onprogress: (step) => progress.push(step) });
    assert.ok(!answer.isError, JSON.stringify(answer));
    assert.equal(answer.structuredContent.response, "ECHO: hello");
    assert.ok(progress.length >= 3, `progress: ${progress.length}`);
    assert.equal(JSON.parse(progress[0].message).subtype, "init");

    const bad = await callTool({ name: "start_session", arguments: { cwd: 7 } }, {});
    assert.equal(bad.isError, true);
    assert.equal(bad.structuredContent.error.code, "SCHEMA_VALIDATION");
}
