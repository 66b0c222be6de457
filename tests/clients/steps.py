"""What a client of Python is asked to do, and a line of JSON for what it sees of each step."""

import asyncio
import json
import os
import time


class Seen:
    """What comes to the client unasked."""

    def __init__(self):
        self.logs = []
        self.progress = []
        self.changed = False


def say(step, saw):
    print(json.dumps({"step": step, "saw": saw}), flush=True)


def dump(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def either(model, *names):
    """The first of the members that the model has: they are spelled as each generation likes."""
    return next((getattr(model, name) for name in names if hasattr(model, name)), None)


async def until(done):
    end = time.monotonic() + 5
    while not (seen := await done()) and time.monotonic() < end:
        await asyncio.sleep(0.03)
    return seen


async def code(awaitable):
    try:
        await awaitable
    except Exception as error:
        return error.error.code
    return "no error"


async def run(sdk, client, seen):
    """`sdk` is where the generations differ: `version`, `call(name)`, `progress()`,
    `hang()` which gives what stops it, `level(level)` to have messages logged, `listen()` to hear of
    changes, `uri(text)` and `types`."""
    text = lambda result: result.content[0].text
    say("revision of the client", sdk.version)
    say("revision of the server", text(await sdk.call("who")))
    tools = {tool.name: dump(tool) for tool in (await client.list_tools()).tools}
    say("names", " ".join(tools))
    say("tool", tools["object"])
    say("schema of an array", tools["array"].get("outputSchema"))
    for name in ["object", "array", "blocks", "declines"]:
        result = await sdk.call(name)
        content = [dump(block) for block in result.content]
        structured = either(result, "structuredContent", "structured_content")
        error = either(result, "isError", "is_error")
        say(name, {"content": content, "structured": structured, "error": error})
    say("no such tool", await code(sdk.call("nothing")))

    say("progress", await sdk.progress())
    await sdk.level("warning")
    await sdk.call("logs")
    await until(lambda: asyncio.sleep(0, bool(seen.logs)))
    say("logs", seen.logs)

    async def counts(expected):
        async def reached():
            return text(await sdk.call("counts")) == expected

        return await until(reached)

    stop = await sdk.hang()
    say("starts", await counts("1 started, 0 dropped"))
    await stop()
    say("stops", await counts("1 started, 1 dropped"))

    for name in ["form", "model", "roots"]:
        answer = await sdk.call(name)
        error = either(answer, "isError", "is_error")
        say(name, "declined" if error else text(answer))

    say("resources", [dump(resource) for resource in (await client.list_resources()).resources])
    resource = await client.read_resource(sdk.uri("test://note"))
    say("resource", [dump(contents) for contents in resource.contents])
    say("no such resource", await code(client.read_resource(sdk.uri("test://nothing"))))
    say("prompts", [dump(prompt) for prompt in (await client.list_prompts()).prompts])
    prompt = await client.get_prompt("greet", {"name": "Ada"})
    say("prompt", [dump(message) for message in prompt.messages])
    reference = sdk.types.PromptReference(type="ref/prompt", name="greet")
    completed = await client.complete(reference, {"name": "name", "value": "Ad"})
    say("completion", completed.completion.values)

    await sdk.listen()

    async def change():
        await sdk.call("change")
        await asyncio.sleep(0.05)
        return seen.changed

    say("change", await until(change))
    # What still hangs need not end well.
    os._exit(0)


def answers(types):
    """How the client answers the questions of the server."""

    async def form(context, params):
        return types.ElicitResult(action="accept", content={"name": "Ada"})

    async def model(context, params):
        content = types.TextContent(type="text", text="Hi")
        return types.CreateMessageResult(role="assistant", model="none", content=content)

    async def roots(context):
        return types.ListRootsResult(roots=[types.Root(uri="file:///work")])

    elicitation = {"elicitation_callback": form} if hasattr(types, "ElicitResult") else {}
    return {"sampling_callback": model, "list_roots_callback": roots, **elicitation}


def hearing(seen):
    """How the client takes what it did not ask for."""

    async def log(params):
        seen.logs.append(params.data)

    async def heard(message):
        message = getattr(message, "root", message)
        if "ToolListChanged" in type(message).__name__:
            seen.changed = True
        elif "ProgressNotification" in type(message).__name__:
            seen.progress.append(message.params.progress)

    return {"logging_callback": log, "message_handler": heard}
