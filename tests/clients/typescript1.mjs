// What a client of @modelcontextprotocol/sdk 1.x sees of the server, as one line of JSON.
// usage: node typescript1.mjs <package folder> stdio <server> | http <url> <bearer> | sse <url> <bearer>
import { pathToFileURL } from "node:url";

const [folder, transport, target, bearer] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${folder}/dist/esm/${path}.js`));
const { Client } = await load("client/index");
const types = await load("types");

async function connect(client) {
  if (transport === "stdio") {
    const { StdioClientTransport } = await load("client/stdio");
    return client.connect(new StdioClientTransport({ command: target, args: ["--stdio"] }));
  }
  const headers = { Authorization: `Bearer ${bearer}` };
  const options = { requestInit: { headers }, eventSourceInit: { fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, ...headers, Accept: "text/event-stream" } }) } };
  if (transport === "sse") {
    const { SSEClientTransport } = await load("client/sse");
    return client.connect(new SSEClientTransport(new URL(target), options));
  }
  const { StreamableHTTPClientTransport } = await load("client/streamableHttp");
  return client.connect(new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers } }));
}

const capabilities = types.ElicitRequestSchema ? { elicitation: {} } : {};
const client = new Client({ name: "interop", version: "1" }, { capabilities });
const seen = {};
let changed;
const change = new Promise((resolve) => (changed = resolve));
client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => changed());
if (types.ElicitRequestSchema) {
  client.setRequestHandler(types.ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }));
}
let version;
client.fallbackNotificationHandler = async () => {};
await connect(client);
const call = (name, options) => client.callTool({ name, arguments: {} }, types.CallToolResultSchema, options);
seen.tools = (await client.listTools()).tools.length;
for (const name of ["object", "array", "image", "audio"]) {
  const result = await call(name);
  seen[name] = { types: result.content.map((block) => block.type), structured: result.structuredContent ?? null };
}
seen.progress = [];
await call("steps", { onprogress: (progress) => seen.progress.push(progress.progress) });
const controller = new AbortController();
const hanging = call("hang", { signal: controller.signal }).catch(() => "cancelled");
await new Promise((resolve) => setTimeout(resolve, 200));
controller.abort("enough");
seen.hang = await hanging;
await new Promise((resolve) => setTimeout(resolve, 200));
seen.dropped = (await call("dropped")).content[0].text;
const asked = await call("ask");
seen.ask = { text: asked.isError ? "declined" : asked.content[0].text };
await new Promise((resolve) => setTimeout(resolve, 200));
await call("change");
seen.change = await Promise.race([change.then(() => true), new Promise((resolve) => setTimeout(() => resolve(false), 3000))]);
seen.version = client.transport?._protocolVersion ?? client.transport?.protocolVersion ?? client._negotiatedProtocolVersion ?? null;
console.log(JSON.stringify(seen));
await client.close();
process.exit(0);
