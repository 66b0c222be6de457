"""What a client of mcp 2.x sees of the server, as one line of JSON.

usage: python python2.py <mode> stdio <server> | http <url> <bearer>
"""

import asyncio
import contextlib
import json
import os
import sys

import mcp.types as types
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


def target_of(transport, target, bearer):
    if transport == "stdio":
        return StdioServerParameters(command=target, args=["--stdio"])
    headers = {"Authorization": f"Bearer {bearer}"}
    return streamable_http_client(target, http_client=create_mcp_http_client(headers=headers))


async def main(mode, transport, target, bearer=None):
    changed = asyncio.Event()

    async def heard(message):
        if "ToolListChanged" in type(getattr(message, "root", message)).__name__:
            changed.set()

    async def elicit(context, params):
        return types.ElicitResult(action="accept", content={"name": "Ada"})

    server = target_of(transport, target, bearer)
    async with Client(server, mode=mode, message_handler=heard, elicitation_callback=elicit) as client:
        seen = {"version": str(client.protocol_version)}
        seen["tools"] = len((await client.list_tools()).tools)
        for name in ["object", "array", "image", "audio"]:
            result = await client.call_tool(name, {})
            seen[name] = {
                "types": [block.type for block in result.content],
                "structured": result.structured_content,
            }
        seen["progress"] = []

        async def progress(done, total, message=None):
            seen["progress"].append(done)

        await client.call_tool("steps", {}, progress_callback=progress)
        hanging = asyncio.create_task(client.call_tool("hang", {}))
        await asyncio.sleep(0.2)
        hanging.cancel()
        await asyncio.sleep(0.3)
        dropped = await client.call_tool("dropped", {})
        seen["hang"], seen["dropped"] = "cancelled", dropped.content[0].text
        asked = await client.call_tool("ask", {})
        seen["ask"] = {"text": "declined" if asked.is_error else asked.content[0].text}

        async def listen():
            async with client.listen(tools_list_changed=True) as subscription:
                async for _ in subscription:
                    changed.set()

        listening = None
        if seen["version"] == "2026-07-28":
            listening = asyncio.create_task(listen())
        await asyncio.sleep(0.3)
        await client.call_tool("change", {})
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(changed.wait(), 3)
        seen["change"] = changed.is_set()
        print(json.dumps(seen), flush=True)
        os._exit(0)


asyncio.run(main(*sys.argv[1:]))
