"""A client of mcp 1.x.

usage: python python1.py stdio <server> | (http | sse) <url> <bearer>
"""

import asyncio
import contextlib
import inspect
import sys

import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from pydantic import AnyUrl

import steps


def connect(transport, target, bearer):
    if transport == "stdio":
        return stdio_client(StdioServerParameters(command=target, args=["--stdio"]))
    headers = {"Authorization": f"Bearer {bearer}"}
    if transport == "sse":
        return sse_client(target, headers=headers)
    from mcp.client.streamable_http import streamablehttp_client

    return streamablehttp_client(target, headers=headers)


class Sdk:
    types = types
    uri = AnyUrl

    def __init__(self, session, version, seen):
        self.session, self.version, self.seen = session, version, seen

    async def call(self, name):
        return await self.session.call_tool(name, {})

    async def progress(self):
        if "progress_callback" not in inspect.signature(self.session.call_tool).parameters:
            meta = {"progressToken": "steps"}
            params = types.CallToolRequestParams(name="steps", arguments={}, _meta=meta)
            call = types.CallToolRequest(method="tools/call", params=params)
            await self.session.send_request(types.ClientRequest(call), types.CallToolResult)
            return self.seen.progress
        seen = []

        async def progress(done, total, message=None):
            seen.append(done)

        await self.session.call_tool("steps", {}, progress_callback=progress)
        return seen

    async def hang(self):
        number = self.session._request_id
        hanging = asyncio.create_task(self.call("hang"))

        # This generation leaves it to the application to tell the server.
        async def stop():
            params = types.CancelledNotificationParams(requestId=number)
            method = "notifications/cancelled"
            note = types.CancelledNotification(method=method, params=params)
            await self.session.send_notification(types.ClientNotification(note))
            hanging.cancel()

        await asyncio.sleep(0)
        return stop

    async def level(self, level):
        await self.session.set_logging_level(level)

    async def listen(self):
        pass


async def main(transport, target, bearer=None):
    seen = steps.Seen()
    async with contextlib.AsyncExitStack() as stack:
        streams = await stack.enter_async_context(connect(transport, target, bearer))
        callbacks = {**steps.answers(types), **steps.hearing(seen)}
        session = ClientSession(streams[0], streams[1], **callbacks)
        session = await stack.enter_async_context(session)
        version = (await session.initialize()).protocolVersion
        await steps.run(Sdk(session, version, seen), session, seen)


asyncio.run(main(*sys.argv[1:]))
