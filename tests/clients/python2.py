"""A client of mcp 2.x.

usage: python python2.py <mode> stdio <server> <argument>... | (http | sse) <url> <bearer>
"""

import asyncio
import contextlib
import sys

import mcp.types as types
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

import steps


@contextlib.asynccontextmanager
async def connect(seen, transport, target, *rest):
    if transport == "stdio":
        streams = stdio_client(StdioServerParameters(command=target, args=rest))
    elif transport == "sse":
        streams = sse_client(target, headers={"Authorization": f"Bearer {rest[0]}"})
    else:
        headers = {"Authorization": f"Bearer {rest[0]}"}
        streams = streamable_http_client(target, http_client=create_mcp_http_client(headers=headers))
    async with streams as (read, write):
        yield read, steps.Watched(write, seen)


class Sdk:
    types = types
    uri = str

    def __init__(self, client, seen):
        self.client, self.seen, self.meta = client, seen, None
        self.version, self.capabilities = str(client.protocol_version), client.server_capabilities
        self.server, self.instructions = client.server_info, client.instructions
        self.is_modern = self.version >= "2026-07-28"
        self.listen = self.hear_changes if self.is_modern else None

    async def call(self, name, arguments):
        return await self.client.call_tool(name, arguments, meta=self.meta)

    async def steps(self):
        await self.client.call_tool("steps", {}, progress_callback=self.seen.step)

    async def hang(self):
        hanging = asyncio.create_task(self.call("hang", {}))

        async def stop():
            hanging.cancel()

        return stop

    async def level(self, level):
        if self.is_modern:
            self.meta = {"io.modelcontextprotocol/logLevel": level}
        else:
            await self.client.set_logging_level(level)

    async def hear_changes(self):
        lists = ["tools_list_changed", "resources_list_changed", "prompts_list_changed"]
        # A task that nothing refers to may be collected.
        self.end_of_changes = await self.hear(**dict.fromkeys(lists, True))

    async def subscribe(self, uri):
        if self.is_modern:
            return await self.hear(resource_subscriptions=[uri])
        await self.client.subscribe_resource(uri)
        return lambda: self.client.unsubscribe_resource(uri)

    async def hear(self, **filter):
        """Listens until what it gives is called; the handler of messages hears."""
        ready, over = asyncio.Event(), asyncio.Event()

        async def listen():
            async with self.client.listen(**filter):
                ready.set()
                await over.wait()

        listening = asyncio.create_task(listen())
        await ready.wait()

        async def end():
            over.set()
            await listening

        return end


async def main(mode, *place):
    seen = steps.Seen()
    async with Client(connect(seen, *place), mode=mode, **seen.callbacks(types)) as client:
        await steps.run(Sdk(client, seen), client, seen)


asyncio.run(main(*sys.argv[1:]))
