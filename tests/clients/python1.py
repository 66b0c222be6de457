"""What a client of mcp 1.x sees of the server, as one line of JSON.

usage: python python1.py stdio <server> | http <url> <bearer> | sse <url> <bearer>
"""

import asyncio
import contextlib
import json
import sys

import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client


def connect(transport, target, bearer):
    if transport == "stdio":
        return stdio_client(StdioServerParameters(command=target, args=["--stdio"]))
    headers = {"Authorization": f"Bearer {bearer}"}
    if transport == "sse":
        return sse_client(target, headers=headers)
    from mcp.client.streamable_http import streamablehttp_client

    return streamablehttp_client(target, headers=headers)


async def main(transport, target, bearer=None):
    seen = {}
    changed = asyncio.Event()

    async def heard(message):
        root = getattr(message, "root", None)
        if isinstance(root, types.ToolListChangedNotification):
            changed.set()

    extra = {}
    if hasattr(types, "ElicitResult"):

        async def elicit(context, params):
            return types.ElicitResult(action="accept", content={"name": "Ada"})

        extra["elicitation_callback"] = elicit

    async with contextlib.AsyncExitStack() as stack:
        streams = await stack.enter_async_context(connect(transport, target, bearer))
        session = ClientSession(streams[0], streams[1], message_handler=heard, **extra)
        session = await stack.enter_async_context(session)
        seen["version"] = str((await session.initialize()).protocolVersion)
        seen["tools"] = len((await session.list_tools()).tools)
        for name in ["object", "array", "image", "audio"]:
            result = await session.call_tool(name, {})
            structured = getattr(result, "structuredContent", None)
            seen[name] = {"types": [block.type for block in result.content], "structured": structured}
        seen["progress"] = []

        async def progress(done, total, message=None):
            seen["progress"].append(done)

        try:
            await session.call_tool("steps", {}, progress_callback=progress)
        except TypeError:
            seen["progress"] = None
            await session.call_tool("steps", {})
        number = session._request_id
        hanging = asyncio.create_task(session.call_tool("hang", {}))
        await asyncio.sleep(0.2)
        note = types.CancelledNotification(
            method="notifications/cancelled",
            params=types.CancelledNotificationParams(requestId=number),
        )
        await session.send_notification(types.ClientNotification(note))
        await asyncio.sleep(0.3)
        hanging.cancel()
        dropped = await session.call_tool("dropped", {})
        seen["hang"], seen["dropped"] = "cancelled", dropped.content[0].text
        asked = await session.call_tool("ask", {})
        seen["ask"] = {"text": "declined" if asked.isError else asked.content[0].text}
        await asyncio.sleep(0.2)
        await session.call_tool("change", {})
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(changed.wait(), 3)
        seen["change"] = changed.is_set()
        print(json.dumps(seen), flush=True)
        import os

        os._exit(0)


asyncio.run(main(*sys.argv[1:]))
