// What both TypeScript clients check: the same calls, the same expectations.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const box = process.env.CCMCP_BOX;
export const server = { command: join(box, "serve"), args: [], cwd: join(box, "work"), stderr: "inherit" };
export const info = { name: "ccmcp-tests", version: "0" };

/** Lists the tools, runs one good call with progress and one with bad arguments, reads the session, gets the prompt. */
export async function check(client, callTool) {
    assert.equal(client.getServerVersion()?.name, "ccmcp");
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    assert.ok(names.includes("start_session") && names.includes("send_message"), `tools: ${names}`);

    const go = join(box, "go");
    rmSync(go, { force: true });
    const progress = [];
    const onprogress = (step) => {
        progress.push(step);
        writeFileSync(go, "");
    };
    const prompt = "hello, step by step";
    const good = { name: "start_session", arguments: { cwd: join(box, "work"), initial_prompt: prompt, model: "haiku" } };
    const answer = await callTool(good, { onprogress });
    assert.ok(!answer.isError, JSON.stringify(answer));
    assert.equal(answer.structuredContent.response, `ECHO: ${prompt}`);
    assert.deepEqual(progress.map((step) => step.progress), progress.map((_, index) => index + 1));
    assert.equal(JSON.parse(progress[0].message).subtype, "init");

    const bad = await callTool({ name: "start_session", arguments: { cwd: 7 } }, {});
    assert.equal(bad.isError, true);
    assert.equal(bad.structuredContent.error.code, "SCHEMA_VALIDATION");

    const uri = `ccmcp://session/${answer.structuredContent.session_id}`;
    const { resources } = await client.listResources();
    assert.ok(resources.some((resource) => resource.uri === uri), JSON.stringify(resources));
    const { contents } = await client.readResource({ uri });
    assert.ok(contents[0].text.includes("ECHO: hello"), JSON.stringify(contents));
    const recall = await client.getPrompt({ name: "recall", arguments: { topic: "lighthouses" } });
    assert.ok(recall.messages[0].content.text.includes("lighthouses"), JSON.stringify(recall));
}
