// A client of @modelcontextprotocol/sdk 1.x.
// usage: node typescript1.mjs <package folder> stdio <server> <argument>... | (http | sse) <url> <bearer>
import { pathToFileURL } from "node:url";
import { run, watched } from "./steps.mjs";

const [folder, transport, target, ...rest] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${folder}/dist/esm/${path}.js`));
const { Client } = await load("client/index");
const types = await load("types");

async function open() {
  const headers = { Authorization: `Bearer ${rest[0]}` };
  switch (transport) {
    case "stdio": {
      const { StdioClientTransport } = await load("client/stdio");
      return new StdioClientTransport({ command: target, args: rest });
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
  "notifications/prompts/list_changed": types.PromptListChangedNotificationSchema,
  "notifications/resources/list_changed": types.ResourceListChangedNotificationSchema,
  "notifications/resources/updated": types.ResourceUpdatedNotificationSchema,
  "notifications/tools/list_changed": types.ToolListChangedNotificationSchema,
};
// Before forms there was no elicitation, and before pages only forms.
const pages = types.ElicitRequestURLParamsSchema && { form: {}, url: {} };
const elicitation = types.ElicitRequestSchema && (pages ?? {});
const capabilities = { roots: {}, sampling: {}, ...(elicitation && { elicitation }) };
const client = new Client({ name: "interop", version: "1" }, { capabilities });

// Not every connection of this generation keeps what was agreed on.
let version;
const request = client.request.bind(client);
client.request = async (asked, ...rest) => {
  const result = await request(asked, ...rest);
  if (asked.method === "initialize") version = result.protocolVersion;
  return result;
};

await run({
  answers: (method, answer) => questions[method] && client.setRequestHandler(questions[method], answer),
  hears: (method, hear) => client.setNotificationHandler(news[method], hear),
  connect: async () => {
    const connection = watched(await open());
    await client.connect(connection);
    return { client, connection };
  },
  version: () => version,
  call: (name, given, options) =>
    client.callTool({ name, arguments: given }, types.CallToolResultSchema, options),
  level: (level) => client.setLoggingLevel(level),
  subscribe: async (uri) => {
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  },
});
