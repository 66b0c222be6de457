// What a client of TypeScript is asked to do, and a line of JSON for what it sees of each step.

const NOTE = "test://note";
const CHANGES = ["tools", "resources", "prompts"].map((list) => `notifications/${list}/list_changed`);

const rest = (time) => new Promise((resolve) => setTimeout(resolve, time));

async function until(done) {
  const end = Date.now() + 10_000;
  while (!(await done()) && Date.now() < end) await rest(30);
  return done();
}

/** Keeps the first message that goes out. */
export function watched(connection) {
  const send = connection.send.bind(connection);
  connection.send = (message, options) => {
    connection.first ??= message;
    return send(message, options);
  };
  return connection;
}

const text = (result) => result.content[0].text;
/** The first generation writes the code before it. */
const messageOf = (error) => error.message.replace(/^MCP error -\d+: /, "");
const fault = (promise) =>
  promise.then(
    () => "no error",
    (error) => ({ code: error.code, message: messageOf(error) }),
  );

/**
 * `sdk` is where the generations differ: `connect()` gives the client and its `watched` connection,
 * after `answers` and `hears` are set by method; `call(name, arguments, options)`; `version()`;
 * `level(level)` to have messages logged; `subscribe(uri)`, which gives what ends it; where changes
 * are to be asked for, `listen()`.
 */
export async function run(sdk) {
  const say = (step, saw) => console.log(JSON.stringify({ step, saw: saw ?? null }));
  const logs = [];
  const changes = new Set();
  const updates = new Set();
  const asked = {};
  let action = "accept";
  sdk.hears("notifications/message", (message) => void logs.push(message.params));
  sdk.hears("notifications/resources/updated", ({ params }) => void updates.add(params.uri));
  for (const change of CHANGES) sdk.hears(change, () => void changes.add(change));
  sdk.answers("elicitation/create", ({ params }) => {
    const isPage = params.mode === "url";
    asked[isPage ? "page" : "form"] = params;
    return { action, ...(action === "accept" && !isPage && { content: { name: "Ada" } }) };
  });
  sdk.answers("roots/list", () => ({ roots: [{ uri: "file:///work" }, { uri: "file:///home" }] }));
  sdk.answers("sampling/createMessage", ({ params }) => {
    asked.model = params;
    return { role: "assistant", model: "none", content: { type: "text", text: "Hi" } };
  });
  const { client, connection } = await sdk.connect().catch((error) => {
    say("refused", messageOf(error));
    process.exit(0);
  });
  const { call } = sdk;

  say("revision of the client", sdk.version());
  say("revision of the server", text(await call("who", {})));
  const { method, params } = connection.first;
  const named = params.protocolVersion ?? params._meta["io.modelcontextprotocol/protocolVersion"];
  say("opens", `${method} ${named}`);
  say("server", client.getServerVersion());
  say("instructions", client.getInstructions());
  say("capabilities", client.getServerCapabilities());

  const { tools } = await client.listTools();
  const tool = (name) => tools.find((tool) => tool.name === name);
  say("names", tools.map((tool) => tool.name));
  say("tool", tool("object"));
  say("schema of an array", tool("array").outputSchema);
  for (const name of ["object", "array", "blocks", "declines", "fails"]) {
    const { content, structuredContent, isError } = await call(name, {});
    say(name, { content, structured: structuredContent ?? null, error: isError ?? false });
  }
  say("breaks", await fault(call("breaks", {})));
  say("no such tool", await fault(call("nothing", {})));
  const given = { text: 'é "quoted"\n', list: [1, null, true], nested: { n: 1.5 }, large: 2 ** 53 - 1 };
  say("arguments", text(await call("echo", given)));
  say("no arguments", text(await call("echo")));

  const progress = [];
  const onprogress = (step) => {
    progress.push(step);
    if (step.progress === step.total) call("enough", {});
  };
  await call("steps", {}, { onprogress });
  say("progress", progress);
  await call("logs", {});
  say("logs unasked", logs.splice(0));
  await sdk.level("warning");
  await call("logs", {});
  say("logs", logs);
  say("releases", text(await call("releases", {})));

  const controller = new AbortController();
  const hanging = call("hang", {}, { signal: controller.signal }).catch(() => {});
  const counts = (expected) => until(async () => text(await call("counts", {})) === expected);
  say("starts", await counts("1 started, 0 dropped"));
  controller.abort("enough");
  say("stops", await counts("1 started, 1 dropped"));
  await hanging;

  const answer = (name) =>
    call(name, {}).then(
      (result) => (result.isError ? { declined: text(result) } : text(result)),
      ({ code }) => ({ code }),
    );
  for (action of ["decline", "cancel", "accept"]) say(`form: ${action}`, await answer("form"));
  for (const name of ["page", "model", "roots", "modelWithTools"]) say(name, await answer(name));
  for (const name of ["form", "page", "model"]) say(`${name} asked`, asked[name]);

  say("resources", (await client.listResources()).resources);
  say("templates", (await client.listResourceTemplates()).resourceTemplates);
  say("resource", (await client.readResource({ uri: NOTE })).contents);
  say("no such resource", await fault(client.readResource({ uri: "test://nothing" })));
  say("prompts", (await client.listPrompts()).prompts);
  const prompt = { name: "greet", arguments: { name: "Ada" } };
  say("prompt", (await client.getPrompt(prompt)).messages);
  say("prompt without its argument", await fault(client.getPrompt({ name: "greet", arguments: {} })));
  const complete = async (params) => (await client.complete(params)).completion.values;
  const completed = { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "name", value: "Ad" } };
  say("completion", await complete(completed));
  const context = { arguments: { title: "mira" } };
  say("completion in context", await complete({ ...completed, context }));
  const day = { type: "ref/resource", uri: "test://day/{day}" };
  say("completion of a template", await complete({ ref: day, argument: { name: "day", value: "" } }));

  const isTold = async (name, heard, count) => {
    heard.clear();
    await until(async () => (await call(name, {}), await rest(50), heard.size >= count));
    return [...heard].sort();
  };
  if (sdk.listen) {
    await isTold("change", changes, 0);
    say("changes unasked", [...changes]);
    await sdk.listen();
  }
  say("changes", await isTold("change", changes, 3));
  const unsubscribe = await sdk.subscribe(NOTE);
  say("updates", await isTold("update", updates, 1));
  await unsubscribe();
  await isTold("update", updates, 0);
  // What was said before these has come by then.
  await isTold("change", changes, 3);
  say("updates after their end", [...updates]);
  process.exit(0);
}
