import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createHttpServer } from '@partner/kernel/process/http-server';
import { closeServer, listen } from '@partner/kernel/process/listen';
import type { RequestListener } from 'node:http';
import { z } from 'zod';

const textResult = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  isError: z.boolean().default(false),
});

/** Whom a client connects to. Without `legacy` it prefers protocol 2026-07-28, with it it knows only those before. */
interface McpConnection {
  readonly path: string;
  readonly apiKey: string;
  readonly legacy?: boolean;
}

/** Runs work with an assistant's client of an app that holds an API key. */
export async function withMcpClient<T>(
  app: RequestListener,
  { path, ...connection }: McpConnection,
  work: (client: Awaited<ReturnType<typeof connect>>) => Promise<T>,
): Promise<T> {
  const server = createHttpServer(app);
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
  try {
    const client = await connect(new URL(path, `http://127.0.0.1:${port}`), connection);
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  } finally {
    await closeServer(server);
  }
}

async function connect(url: URL, { apiKey, legacy = false }: Omit<McpConnection, 'path'>) {
  const client = new Client(
    { name: 'assistant', version: '1' },
    { versionNegotiation: { mode: legacy ? 'legacy' : 'auto' } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { 'x-api-key': apiKey } } }),
  );
  const request = (method: string, params: Readonly<Record<string, unknown>> = {}) =>
    client.request({ method, params }, z.looseObject({}));
  return {
    version: client.getNegotiatedProtocolVersion(),
    capabilities: client.getServerCapabilities(),
    /** Sends a request of an extension. Rejects with its error. */
    request,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    tools: async () => (await client.listTools()).tools,
    /** Calls a tool and returns its result, which is JSON. */
    async call(name: string, given: Readonly<Record<string, unknown>> = {}) {
      const { content, isError } = textResult.parse(await client.callTool({ name, arguments: given }));
      const json: unknown = JSON.parse(content[0].text);
      return { json, text: content[0].text, isError };
    },
    close: () => client.close(),
  };
}
