"""The official Python client 2.x: `auto` (the era without a handshake) or `legacy`."""

import asyncio
import json
import os
import pathlib
import sys

from mcp import Client, StdioServerParameters

BOX = os.environ["CCMCP_BOX"]
MODE = sys.argv[1]


async def main() -> None:
    server = StdioServerParameters(command=f"{BOX}/serve", cwd=f"{BOX}/work")
    async with Client(server, mode=MODE) as client:
        assert (client.protocol_version == "2026-07-28") == (MODE == "auto"), client.protocol_version
        assert client.server_info and client.server_info.name == "ccmcp", client.server_info
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"start_session", "send_message"} <= set(names), names

        go = pathlib.Path(BOX, "go")
        go.unlink(missing_ok=True)
        progress: list[str] = []

        async def on_progress(done: float, total: float | None, message: str | None) -> None:
            assert done == len(progress) + 1 and total is None
            progress.append(message or "")
            go.touch()

        good = {"cwd": f"{BOX}/work", "initial_prompt": "hello, step by step", "model": "haiku"}
        answer = await client.call_tool("start_session", good, progress_callback=on_progress)
        assert not answer.is_error and answer.structured_content, answer
        assert answer.structured_content["response"] == "ECHO: hello, step by step", answer
        assert json.loads(progress[0])["subtype"] == "init", progress

        bad = await client.call_tool("start_session", {"cwd": 7})
        assert bad.is_error and bad.structured_content, bad
        assert bad.structured_content["error"]["code"] == "SCHEMA_VALIDATION", bad

        uri = f"ccmcp://session/{answer.structured_content['session_id']}"
        assert uri in [str(resource.uri) for resource in (await client.list_resources()).resources]
        contents = (await client.read_resource(uri)).contents
        assert "ECHO: hello" in contents[0].text, contents
        recall = await client.get_prompt("recall", {"topic": "lighthouses"})
        assert "lighthouses" in recall.messages[0].content.text, recall


asyncio.run(main())
