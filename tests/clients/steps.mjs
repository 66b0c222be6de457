// What a client of TypeScript is asked to do, and a line of JSON for what it sees of each step.

const rest = (time) => new Promise((resolve) => setTimeout(resolve, time));

async function until(done) {
  const end = Date.now() + 5000;
  let seen = await done();
  while (!seen && Date.now() < end) {
    await rest(30);
    seen = await done();
  }
  return seen;
}

const text = (result) => result.content[0].text;

/**
 * `sdk` is where the generations differ: `connect()` gives the client, after `answers` and `hears`
 * are set by method; `call(name, options)`, `version()`, `level(level)` to have messages logged, and
 * `listen()` to hear of changes.
 */
export async function run(sdk) {
  const say = (step, saw) => console.log(JSON.stringify({ step, saw: saw ?? null }));
  const logs = [];
  let changed = false;
  sdk.hears("notifications/message", (message) => void logs.push(message.params.data));
  sdk.hears("notifications/tools/list_changed", () => void (changed = true));
  sdk.answers("elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }));
  sdk.answers("roots/list", () => ({ roots: [{ uri: "file:///work" }] }));
  sdk.answers("sampling/createMessage", () => ({
    role: "assistant",
    model: "none",
    content: { type: "text", text: "Hi" },
  }));
  const client = await sdk.connect();
  const call = sdk.call;
  const code = (promise) => promise.then(() => "no error", (error) => error.code);

  say("revision of the client", sdk.version());
  say("revision of the server", text(await call("who")));
  const { tools } = await client.listTools();
  const tool = (name) => tools.find((tool) => tool.name === name);
  say("names", tools.map((tool) => tool.name).join(" "));
  say("tool", tool("object"));
  say("schema of an array", tool("array").outputSchema);
  for (const name of ["object", "array", "blocks", "declines"]) {
    const { content, structuredContent, isError } = await call(name);
    say(name, { content, structured: structuredContent ?? null, error: isError ?? false });
  }
  say("no such tool", await code(call("nothing")));

  const progress = [];
  await call("steps", { onprogress: (step) => void progress.push(step.progress) });
  say("progress", progress);
  await sdk.level("warning");
  await call("logs");
  say("logs", logs);

  const controller = new AbortController();
  const hanging = code(call("hang", { signal: controller.signal }));
  const counts = (expected) => until(async () => text(await call("counts")) === expected);
  say("starts", await counts("1 started, 0 dropped"));
  controller.abort("enough");
  say("stops", await counts("1 started, 1 dropped"));
  await hanging;

  for (const name of ["form", "model", "roots"]) {
    const answer = await call(name);
    say(name, answer.isError ? "declined" : text(answer));
  }

  const { resources } = await client.listResources();
  say("resources", resources);
  say("resource", (await client.readResource({ uri: "test://note" })).contents);
  say("no such resource", await code(client.readResource({ uri: "test://nothing" })));
  say("prompts", (await client.listPrompts()).prompts);
  const prompt = await client.getPrompt({ name: "greet", arguments: { name: "Ada" } });
  say("prompt", prompt.messages);
  const ref = { type: "ref/prompt", name: "greet" };
  const argument = { name: "name", value: "Ad" };
  say("completion", (await client.complete({ ref, argument })).completion.values);

  await sdk.listen?.();
  say("change", await until(async () => (await call("change"), await rest(50), changed)));
  process.exit(0);
}
