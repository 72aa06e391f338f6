import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import { MCP_PATHS, type McpSurface } from '@partner/proto-contracts/api/mcp';
import { invariant } from '@partner/kernel/process/invariant';
import { httpStatusOf, ServiceError } from '@partner/kernel/process/service-error';
import { z } from 'zod';
import { type ApiKeyPrincipal, scopesOfPrincipal } from '../auth/api-key-authentication.js';
import {
  type AnyEndpoint,
  type EndpointRequest,
  type EndpointResponse,
  responseText,
  serveOperation,
} from '../http/endpoint.js';
import { errorResponse } from '../http/error-response.js';
import { validateInput } from '../http/read-input.js';
import { requireScope } from '../auth/require-scope.js';
import type { JsonObject } from './tool-schema.js';
import type { OperationCall, Tool } from './tool.js';

/** One message. Lists of messages would pass the rate limit as one request. */
const message = z.looseObject({ jsonrpc: z.literal('2.0') });

type McpRequest = EndpointRequest<ApiKeyPrincipal, unknown, unknown>;

/**
 * Serves the tools of a surface to assistants: Streamable HTTP of the Model Context Protocol, without sessions and streams (decisions
 * MCP-1 to MCP-5). A tool runs the surface's own endpoints as the caller.
 *
 * A failure of a tool is its result, with the body of the error. One of the service (5xx) is the response itself, so that it is
 * logged and counted as every other one.
 */
export function serveMcp(
  surface: McpSurface,
  endpoints: readonly AnyEndpoint<ApiKeyPrincipal>[],
  tools: readonly Tool[],
): AnyEndpoint<ApiKeyPrincipal> {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));

  async function perform(request: McpRequest, id: string, call: OperationCall): Promise<string> {
    const endpoint = byId.get(id);
    invariant(endpoint, `the surface has the operation ${id}`);
    requireScope(endpoint, scopesOfPrincipal(request.principal), surface);
    const input = validateInput(endpoint, {
      params: call.params ?? {},
      query: call.query ?? {},
      body: call.body,
      sentBody: call.body === undefined ? undefined : { value: call.body, exact: undefined },
      idempotencyKey: call.idempotencyKey,
    });
    const operation = `${endpoint.method.toUpperCase()} ${endpoint.path}`;
    const response = await endpoint.handle({
      ...request,
      ...input,
      operation,
      // The schemas of the tools are those of the current version.
      apiVersion: CURRENT_API_VERSION,
    });
    return responseText(response) ?? '';
  }

  const operation = { id: `${surface}Mcp`, method: 'post', path: MCP_PATHS[surface], body: message } as const;
  return serveOperation<ApiKeyPrincipal, unknown, z.infer<typeof message>>(operation, async (request) => {
    refuseBrowsers(request);
    // The SDK takes time and memory, which a process without assistants does not need.
    const { respondToMessage } = await import('./respond-to-message.js');
    const scopes = scopesOfPrincipal(request.principal);
    const deadline = performance.now() + (request.call.timeoutMs ?? 0);
    let failure: ServiceError | undefined;
    let called: Record<string, string> = {};
    const call = async (name: string, given: JsonObject) => {
      const tool = tools.find((each) => each.name === name);
      if (tool === undefined) return undefined;
      called = { tool: name };
      try {
        requireScope(tool, scopes, surface);
        const text = await tool.call(given, {
          request,
          perform: ({ id }, input) => {
            // Operations of one tool share the time of the request.
            const timeoutMs = Math.max(1, Math.round(deadline - performance.now()));
            return perform({ ...request, call: { ...request.call, timeoutMs } }, id, input);
          },
        });
        return { content: [{ type: 'text' as const, text }] };
      } catch (thrown) {
        const error = ServiceError.from(thrown);
        if (httpStatusOf(error.reason) >= 500) failure = error;
        called = { tool: name, code: error.reason };
        const text = responseText(errorResponse(error, request.requestId)) ?? '';
        return { content: [{ type: 'text' as const, text }], isError: true };
      }
    };
    const response: EndpointResponse = await respondToMessage(request.body, {
      header: (name) => request.header(name),
      tools: tools.filter(({ scope }) => scopes.includes(scope)),
      call,
    });
    if (failure !== undefined) throw failure;
    return { ...response, logFields: called };
  });
}

/** Pages of other sites must not use a key that a browser holds; the API has no CORS, so no page has a reason to come here. */
function refuseBrowsers(request: McpRequest): void {
  if (request.header('origin') !== undefined)
    throw new ServiceError('permission_denied', 'origin: must be absent; browsers cannot use this endpoint');
}
