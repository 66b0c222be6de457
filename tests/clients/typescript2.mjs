// A client of @modelcontextprotocol/client 2.x.
// usage: node typescript2.mjs <package folder> <mode> stdio <server> | http <url> <bearer>
import { pathToFileURL } from "node:url";
import { run } from "./steps.mjs";

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

const named = mode === "legacy" || mode === "auto";
const client = new Client(
  { name: "interop", version: "1" },
  {
    capabilities: { elicitation: {}, roots: {}, sampling: {} },
    versionNegotiation: { mode: named ? mode : { pin: mode } },
  },
);
const modern = () => client.getNegotiatedProtocolVersion() >= "2026-07-28";
let meta = {};

await run({
  answers: (method, answer) => client.setRequestHandler(method, answer),
  hears: (method, hear) => client.setNotificationHandler(method, hear),
  connect: async () => {
    await client.connect(await open());
    return client;
  },
  version: () => client.getNegotiatedProtocolVersion(),
  call: (name, options) => client.callTool({ name, arguments: {}, ...meta }, options),
  level: async (level) => {
    if (modern()) meta = { _meta: { "io.modelcontextprotocol/logLevel": level } };
    else await client.setLoggingLevel(level);
  },
  listen: async () => modern() && (await client.listen({ toolsListChanged: true })),
});
