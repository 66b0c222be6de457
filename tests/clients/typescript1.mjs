// A client of @modelcontextprotocol/sdk 1.x.
// usage: node typescript1.mjs <package folder> stdio <server> | (http | sse) <url> <bearer>
import { pathToFileURL } from "node:url";
import { run } from "./steps.mjs";

const [folder, transport, target, bearer] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${folder}/dist/esm/${path}.js`));
const { Client } = await load("client/index");
const types = await load("types");

async function open() {
  const headers = { Authorization: `Bearer ${bearer}` };
  switch (transport) {
    case "stdio": {
      const { StdioClientTransport } = await load("client/stdio");
      return new StdioClientTransport({ command: target, args: ["--stdio"] });
    }
    case "http": {
      const { StreamableHTTPClientTransport } = await load("client/streamableHttp");
      return new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers } });
    }
    default: {
      const { SSEClientTransport } = await load("client/sse");
      const stream = { ...headers, Accept: "text/event-stream" };
      return new SSEClientTransport(new URL(target), {
        requestInit: { headers },
        eventSourceInit: { fetch: (url, init) => fetch(url, { ...init, headers: stream }) },
      });
    }
  }
}

const questions = {
  "elicitation/create": types.ElicitRequestSchema,
  "roots/list": types.ListRootsRequestSchema,
  "sampling/createMessage": types.CreateMessageRequestSchema,
};
const news = {
  "notifications/message": types.LoggingMessageNotificationSchema,
  "notifications/tools/list_changed": types.ToolListChangedNotificationSchema,
};
const elicitation = types.ElicitRequestSchema && {};
const capabilities = { roots: {}, sampling: {}, ...(elicitation && { elicitation }) };
const client = new Client({ name: "interop", version: "1" }, { capabilities });
let connection;

await run({
  answers: (method, answer) => questions[method] && client.setRequestHandler(questions[method], answer),
  hears: (method, hear) => client.setNotificationHandler(news[method], hear),
  connect: async () => {
    connection = await open();
    await client.connect(connection);
    return client;
  },
  version: () => connection.protocolVersion,
  call: (name, options) =>
    client.callTool({ name, arguments: {} }, types.CallToolResultSchema, options),
  level: (level) => client.setLoggingLevel(level),
});
