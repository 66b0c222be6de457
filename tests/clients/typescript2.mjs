// A client of @modelcontextprotocol/client 2.x.
// usage: node typescript2.mjs <package folder> <mode> stdio <server> <argument>... | (http | sse) <url> <bearer>
import { pathToFileURL } from "node:url";
import { run, watched } from "./steps.mjs";

const [folder, mode, transport, target, ...rest] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${folder}/dist/${path}.mjs`));
const { Client, SSEClientTransport, StreamableHTTPClientTransport } = await load("index");

async function open() {
  if (transport === "stdio") {
    const { StdioClientTransport } = await load("stdio");
    return new StdioClientTransport({ command: target, args: rest });
  }
  const headers = { Authorization: `Bearer ${rest[0]}` };
  const Transport = transport === "sse" ? SSEClientTransport : StreamableHTTPClientTransport;
  return new Transport(new URL(target), { requestInit: { headers } });
}

const isNamed = mode === "legacy" || mode === "auto";
const client = new Client(
  { name: "interop", version: "1" },
  {
    capabilities: { elicitation: { form: {}, url: {} }, roots: {}, sampling: {} },
    versionNegotiation: { mode: isNamed ? mode : { pin: mode } },
  },
);
const isModern = () => client.getNegotiatedProtocolVersion() >= "2026-07-28";
let meta = {};

const sdk = {
  answers: (method, answer) => client.setRequestHandler(method, answer),
  hears: (method, hear) => client.setNotificationHandler(method, hear),
  connect: async () => {
    const connection = watched(await open());
    await client.connect(connection);
    if (isModern()) {
      const changes = { toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true };
      sdk.listen = () => client.listen(changes);
    }
    return { client, connection };
  },
  version: () => client.getNegotiatedProtocolVersion(),
  call: (name, given, options) => client.callTool({ name, arguments: given, ...meta }, options),
  level: async (level) => {
    if (isModern()) meta = { _meta: { "io.modelcontextprotocol/logLevel": level } };
    else await client.setLoggingLevel(level);
  },
  subscribe: async (uri) => {
    if (isModern()) {
      const subscription = await client.listen({ resourceSubscriptions: [uri] });
      return () => subscription.close();
    }
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  },
};
await run(sdk);
