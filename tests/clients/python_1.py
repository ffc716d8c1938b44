"""The official Python client 1.x: one era."""

import asyncio
import json
import os
import pathlib

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from pydantic import AnyUrl

BOX = os.environ["CCMCP_BOX"]


async def main() -> None:
    server = StdioServerParameters(command=f"{BOX}/serve", cwd=f"{BOX}/work")
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        opening = await session.initialize()
        assert opening.serverInfo.name == "ccmcp", opening
        names = [tool.name for tool in (await session.list_tools()).tools]
        assert {"start_session", "send_message"} <= set(names), names

        go = pathlib.Path(BOX, "go")
        go.unlink(missing_ok=True)
        progress: list[str] = []

        async def on_progress(done: float, total: float | None, message: str | None) -> None:
            assert done == len(progress) + 1 and total is None
            progress.append(message or "")
            go.touch()

        good = {"cwd": f"{BOX}/work", "initial_prompt": "hello, step by step", "model": "haiku"}
        answer = await session.call_tool("start_session", good, progress_callback=on_progress)
        assert not answer.isError and answer.structuredContent, answer
        assert answer.structuredContent["response"] == "ECHO: hello, step by step", answer
        assert json.loads(progress[0])["subtype"] == "init", progress

        bad = await session.call_tool("start_session", {"cwd": 7})
        assert bad.isError and bad.structuredContent, bad
        assert bad.structuredContent["error"]["code"] == "SCHEMA_VALIDATION", bad

        uri = f"ccmcp://session/{answer.structuredContent['session_id']}"
        assert uri in [str(resource.uri) for resource in (await session.list_resources()).resources]
        contents = (await session.read_resource(AnyUrl(uri))).contents
        assert "ECHO: hello" in contents[0].text, contents
        recall = await session.get_prompt("recall", {"topic": "lighthouses"})
        assert "lighthouses" in recall.messages[0].content.text, recall


asyncio.run(main())
