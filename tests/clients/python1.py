"""A client of mcp 1.x.

usage: python python1.py stdio <server> <argument>... | (http | sse) <url> <bearer>
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


def connect(transport, target, *rest):
    if transport == "stdio":
        return stdio_client(StdioServerParameters(command=target, args=rest))
    headers = {"Authorization": f"Bearer {rest[0]}"}
    if transport == "sse":
        return sse_client(target, headers=headers)
    from mcp.client.streamable_http import streamablehttp_client

    return streamablehttp_client(target, headers=headers)


class Sdk:
    types = types
    uri = AnyUrl
    listen = None

    def __init__(self, session, opened, seen):
        self.session, self.seen = session, seen
        self.version, self.capabilities = opened.protocolVersion, opened.capabilities
        self.server, self.instructions = opened.serverInfo, opened.instructions

    async def call(self, name, arguments):
        return await self.session.call_tool(name, arguments)

    async def steps(self):
        if "progress_callback" in inspect.signature(self.session.call_tool).parameters:
            await self.session.call_tool("steps", {}, progress_callback=self.seen.step)
            return
        self.seen.hears_steps = True
        params = types.CallToolRequestParams(name="steps", arguments={}, _meta={"progressToken": "steps"})
        call = types.CallToolRequest(method="tools/call", params=params)
        await self.session.send_request(types.ClientRequest(call), types.CallToolResult)

    async def hang(self):
        number = self.session._request_id
        hanging = asyncio.create_task(self.call("hang", {}))

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

    async def subscribe(self, uri):
        await self.session.subscribe_resource(AnyUrl(uri))
        return lambda: self.session.unsubscribe_resource(AnyUrl(uri))


async def main(*place):
    seen = steps.Seen()
    async with contextlib.AsyncExitStack() as stack:
        read, write, *_ = await stack.enter_async_context(connect(*place))
        session = ClientSession(read, steps.Watched(write, seen), **seen.callbacks(types))
        session = await stack.enter_async_context(session)
        with steps.refusing():
            opened = await session.initialize()
        await steps.run(Sdk(session, opened, seen), session, seen)


asyncio.run(main(*sys.argv[1:]))
