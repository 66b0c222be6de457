"""A client of mcp 2.x.

usage: python python2.py <mode> stdio <server> | http <url> <bearer>
"""

import asyncio
import sys

import mcp.types as types
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

import steps


def target_of(transport, target, bearer):
    if transport == "stdio":
        return StdioServerParameters(command=target, args=["--stdio"])
    headers = {"Authorization": f"Bearer {bearer}"}
    return streamable_http_client(target, http_client=create_mcp_http_client(headers=headers))


class Sdk:
    types = types
    uri = str

    def __init__(self, client, seen):
        self.client, self.seen = client, seen
        self.version = str(client.protocol_version)
        self.modern = self.version >= "2026-07-28"

    async def call(self, name):
        return await self.client.call_tool(name, {})

    async def progress(self):
        seen = []

        async def progress(done, total, message=None):
            seen.append(done)

        await self.client.call_tool("steps", {}, progress_callback=progress)
        return seen

    async def hang(self):
        hanging = asyncio.create_task(self.call("hang"))

        async def stop():
            hanging.cancel()

        return stop

    async def level(self, level):
        if not self.modern:
            await self.client.set_logging_level(level)

    async def listen(self):
        if not self.modern:
            return
        ready = asyncio.Event()

        async def listen():
            async with self.client.listen(tools_list_changed=True) as subscription:
                ready.set()
                async for _ in subscription:
                    self.seen.changed = True

        self.listening = asyncio.create_task(listen())
        await ready.wait()


async def main(mode, transport, target, bearer=None):
    seen = steps.Seen()
    callbacks = {**steps.answers(types), **steps.hearing(seen)}
    server = target_of(transport, target, bearer)
    async with Client(server, mode=mode, log_level="warning", **callbacks) as client:
        await steps.run(Sdk(client, seen), client, seen)


asyncio.run(main(*sys.argv[1:]))
