// What a client of @modelcontextprotocol/client 2.x sees of the server, as one line of JSON.
// usage: node typescript2.mjs <package folder> <mode> stdio <server> | http <url> <bearer>
import { pathToFileURL } from "node:url";

const [folder, mode, transport, target, bearer] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${folder}/dist/${path}.mjs`));
const { Client, StreamableHTTPClientTransport } = await load("index");

async function open() {
  if (transport === "stdio") {
    const { StdioClientTransport } = await load("stdio");
    return new StdioClientTransport({ command: target, args: ["--stdio"] });
  }
  const headers = { Authorization: `Bearer ${bearer}` };
  return new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers } });
}

const negotiation = { mode: mode === "legacy" || mode === "auto" ? mode : { pin: mode } };
const client = new Client(
  { name: "interop", version: "1" },
  { capabilities: { elicitation: {} }, versionNegotiation: negotiation },
);
let changed;
const change = new Promise((resolve) => (changed = resolve));
client.setNotificationHandler("notifications/tools/list_changed", () => changed());
client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }));
await client.connect(await open());
const seen = { version: client.getNegotiatedProtocolVersion() };
const call = (name, options) => client.callTool({ name, arguments: {} }, options);
const rest = (time) => new Promise((resolve) => setTimeout(resolve, time));
seen.tools = (await client.listTools()).tools.length;
for (const name of ["object", "array", "image", "audio"]) {
  const result = await call(name);
  seen[name] = { types: result.content.map((block) => block.type), structured: result.structuredContent ?? null };
}
seen.progress = [];
await call("steps", { onprogress: (progress) => seen.progress.push(progress.progress) });
const controller = new AbortController();
const hanging = call("hang", { signal: controller.signal }).catch(() => "cancelled");
await rest(200);
controller.abort("enough");
seen.hang = await hanging;
await rest(200);
seen.dropped = (await call("dropped")).content[0].text;
const asked = await call("ask");
seen.ask = { text: asked.isError ? "declined" : asked.content[0].text };
if (seen.version === "2026-07-28") await client.listen({ toolsListChanged: true });
await rest(200);
await call("change");
seen.change = await Promise.race([change.then(() => true), rest(3000).then(() => false)]);
console.log(JSON.stringify(seen));
process.exit(0);
