"""What a client of Python is asked to do, and a line of JSON for what it sees of each step."""

import asyncio
import contextlib
import json
import os
import time

NOTE = "test://note"
PROGRESS = ["progress", "total", "message"]
VERSION = "io.modelcontextprotocol/protocolVersion"


def say(step, saw):
    print(json.dumps({"step": step, "saw": saw}), flush=True)


def dump(model):
    """As it was on the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


def either(model, *names):
    """The first of the members that the model has: they are spelled as each generation likes."""
    return next((getattr(model, name) for name in names if hasattr(model, name)), None)


class Seen:
    """What comes to the client unasked, what it is asked, and what it said first."""

    def __init__(self):
        self.logs, self.progress, self.changes, self.updates = [], [], set(), set()
        self.asked, self.action, self.first = {}, "accept", None
        self.hears_steps = False

    def callbacks(self, types):
        async def form(context, params):
            is_page = either(params, "mode") == "url"
            self.asked["page" if is_page else "form"] = dump(params)
            content = {"name": "Ada"} if self.action == "accept" and not is_page else None
            return types.ElicitResult(action=self.action, content=content)

        async def model(context, params):
            self.asked["model"] = dump(params)
            content = types.TextContent(type="text", text="Hi")
            return types.CreateMessageResult(role="assistant", model="none", content=content)

        async def roots(context):
            roots = [types.Root(uri="file:///work"), types.Root(uri="file:///home")]
            return types.ListRootsResult(roots=roots)

        async def log(params):
            self.logs.append(dump(params))

        callbacks = {
            "sampling_callback": model,
            "list_roots_callback": roots,
            "logging_callback": log,
            "message_handler": self.hear,
        }
        return callbacks | ({"elicitation_callback": form} if hasattr(types, "ElicitResult") else {})

    async def step(self, *values):
        """Progress; its numbers are of whatever kind, which this language tells apart."""
        whole = lambda value: int(value) if isinstance(value, float) and value.is_integer() else value
        step = {name: whole(value) for name, value in zip(PROGRESS, values) if value is not None}
        self.progress.append(step)
        if step["progress"] == step["total"]:
            self.ending = asyncio.create_task(self.enough())

    async def hear(self, message):
        message = getattr(message, "root", message)
        method = getattr(message, "method", "")
        if method == "notifications/progress" and self.hears_steps:
            params = vars(message.params)
            await self.step(*map(params.get, PROGRESS))
        elif method.endswith("/list_changed"):
            self.changes.add(method)
        elif method == "notifications/resources/updated":
            self.updates.add(str(message.params.uri))


class Watched:
    """A stream of messages that keeps the first which goes out."""

    def __init__(self, stream, seen):
        self.stream, self.seen = stream, seen

    async def send(self, message):
        first = getattr(message, "message", message)
        self.seen.first = self.seen.first or getattr(first, "root", first)
        await self.stream.send(message)

    async def __aenter__(self):
        await self.stream.__aenter__()
        return self

    async def __aexit__(self, *error):
        return await self.stream.__aexit__(*error)

    def __getattr__(self, name):
        return getattr(self.stream, name)


@contextlib.contextmanager
def refusing():
    """What fails in here says that nothing more can be done."""
    try:
        yield
    except Exception as error:
        say("refused", str(error))
        os._exit(0)


async def until(done):
    end = time.monotonic() + 10
    while not (seen := await done()) and time.monotonic() < end:
        await asyncio.sleep(0.03)
    return seen


async def fault(awaitable):
    try:
        await awaitable
    except Exception as error:
        return {"code": error.error.code, "message": error.error.message}
    return "no error"


async def run(sdk, client, seen):
    """`sdk` is where the generations differ: `version`; `server`, `instructions` and `capabilities`;
    `call(name, arguments)`; `steps()`, which has `seen` hear of progress; `hang()`, which gives what
    stops it; `level(level)` to have messages logged; `subscribe(uri)`, which gives what ends it; where
    changes are to be asked for, `listen`; `uri(text)` and `types`."""
    text = lambda result: result.content[0].text
    with refusing():
        server = text(await sdk.call("who", {}))
    say("revision of the client", sdk.version)
    say("revision of the server", server)
    params = seen.first.params
    named = params.get("protocolVersion") or params["_meta"][VERSION]
    say("opens", f"{seen.first.method} {named}")
    say("server", sdk.server and dump(sdk.server))
    say("instructions", sdk.instructions)
    say("capabilities", dump(sdk.capabilities))

    tools = {tool.name: dump(tool) for tool in (await client.list_tools()).tools}
    say("names", list(tools))
    say("tool", tools["object"])
    say("schema of an array", tools["array"].get("outputSchema"))
    for name in ["object", "array", "blocks", "declines", "fails"]:
        result = await sdk.call(name, {})
        content = [dump(block) for block in result.content]
        structured = either(result, "structuredContent", "structured_content")
        error = either(result, "isError", "is_error")
        say(name, {"content": content, "structured": structured, "error": error})
    say("breaks", await fault(sdk.call("breaks", {})))
    say("no such tool", await fault(sdk.call("nothing", {})))
    given = {"text": 'é "quoted"\n', "list": [1, None, True], "nested": {"n": 1.5}, "large": 10**30 + 1}
    say("arguments", text(await sdk.call("echo", given)))
    say("no arguments", text(await sdk.call("echo", None)))

    seen.enough = lambda: sdk.call("enough", {})
    await sdk.steps()
    say("progress", seen.progress)
    await sdk.call("logs", {})
    await until(lambda: asyncio.sleep(0, sdk.listen or len(seen.logs) > 1))
    say("logs unasked", list(seen.logs))
    seen.logs.clear()
    await sdk.level("warning")
    await sdk.call("logs", {})
    await until(lambda: asyncio.sleep(0, bool(seen.logs)))
    say("logs", seen.logs)
    say("releases", text(await sdk.call("releases", {})))

    async def counts(expected):
        async def reached():
            return text(await sdk.call("counts", {})) == expected

        return await until(reached)

    stop = await sdk.hang()
    say("starts", await counts("1 started, 0 dropped"))
    await stop()
    say("stops", await counts("1 started, 1 dropped"))

    async def answer(name):
        try:
            result = await sdk.call(name, {})
        except Exception as error:
            return {"code": error.error.code}
        return {"declined": text(result)} if either(result, "isError", "is_error") else text(result)

    for seen.action in ["decline", "cancel", "accept"]:
        say(f"form: {seen.action}", await answer("form"))
    for name in ["page", "model", "roots", "modelWithTools"]:
        say(name, await answer(name))
    for name in ["form", "page", "model"]:
        say(f"{name} asked", seen.asked.get(name))

    say("resources", [dump(resource) for resource in (await client.list_resources()).resources])
    templates = await client.list_resource_templates()
    templates = either(templates, "resourceTemplates", "resource_templates")
    say("templates", [dump(template) for template in templates])
    resource = await client.read_resource(sdk.uri(NOTE))
    say("resource", [dump(contents) for contents in resource.contents])
    say("no such resource", await fault(client.read_resource(sdk.uri("test://nothing"))))
    say("prompts", [dump(prompt) for prompt in (await client.list_prompts()).prompts])
    prompt = await client.get_prompt("greet", {"name": "Ada"})
    say("prompt", [dump(message) for message in prompt.messages])
    say("prompt without its argument", await fault(client.get_prompt("greet", {})))

    async def complete(*given):
        return (await client.complete(*given)).completion.values

    greet = sdk.types.PromptReference(type="ref/prompt", name="greet")
    name = {"name": "name", "value": "Ad"}
    say("completion", await complete(greet, name))
    try:
        say("completion in context", await complete(greet, name, {"title": "mira"}))
    except TypeError:
        say("completion in context", None)
    references = either(sdk.types, "ResourceTemplateReference", "ResourceReference")
    day = references(type="ref/resource", uri="test://day/{day}")
    say("completion of a template", await complete(day, {"name": "day", "value": ""}))

    async def is_told(name, heard, count):
        heard.clear()

        async def told():
            await sdk.call(name, {})
            await asyncio.sleep(0.05)
            return len(heard) >= count

        await until(told)
        return sorted(heard)

    if sdk.listen:
        say("changes unasked", await is_told("change", seen.changes, 0))
        await sdk.listen()
    say("changes", await is_told("change", seen.changes, 3))
    unsubscribe = await sdk.subscribe(NOTE)
    say("updates", await is_told("update", seen.updates, 1))
    await unsubscribe()
    await is_told("update", seen.updates, 0)
    # What was said before these has come by then.
    await is_told("change", seen.changes, 3)
    say("updates after their end", sorted(seen.updates))
    # What still hangs need not end well.
    os._exit(0)
