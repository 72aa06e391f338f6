import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import { MCP_PATHS, type McpSurface } from '@partner/proto-contracts/api/mcp';
import type { ErrorReason } from '@partner/proto-contracts/api/error-reasons';
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
import type { McpExtension, Refusal } from './mcp-extension.js';
import type { JsonObject } from './tool-schema.js';
import type { OperationCall, Tool, ToolCaller } from './tool.js';

/** One message. Lists of messages would pass the rate limit as one request. */
const message = z.looseObject({ jsonrpc: z.literal('2.0') });

type McpRequest = EndpointRequest<ApiKeyPrincipal, unknown, unknown>;

/** The codes of an extension's errors, by reason. What a client can branch on has data too. */
const REFUSALS: Readonly<Partial<Record<ErrorReason, Omit<Refusal, 'message'>>>> = {
  invalid_argument: { code: -32_602 },
  cursor_invalid: { code: -32_602 },
  // SEP-3415, "Error Handling".
  not_found: { code: -32_023, data: { kind: 'event' } },
};

/**
 * Serves the tools of a surface to assistants: Streamable HTTP of the Model Context Protocol, without sessions and streams (decisions
 * MCP-1 to MCP-5), and the requests of extensions. A tool, and a request, runs the surface's own endpoints as the caller.
 *
 * A failure of a tool is its result, with the body of the error; that of a request is an error of JSON-RPC. One of the service (5xx) is the
 * response itself, so that it is logged and counted as every other one.
 */
export function serveMcp(
  surface: McpSurface,
  endpoints: readonly AnyEndpoint<ApiKeyPrincipal>[],
  tools: readonly Tool[],
  extensions: readonly McpExtension[],
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
    const caller: ToolCaller = {
      request,
      perform: ({ id }, input) => {
        // Operations of one tool share the time of the request.
        const timeoutMs = Math.max(1, Math.round(deadline - performance.now()));
        return perform({ ...request, call: { ...request.call, timeoutMs } }, id, input);
      },
    };
    const failed = (name: string, thrown: unknown) => {
      const error = ServiceError.from(thrown);
      if (httpStatusOf(error.reason) >= 500) failure = error;
      called = { tool: name, code: error.reason };
      return error;
    };
    const call = async (name: string, given: JsonObject) => {
      const tool = tools.find((each) => each.name === name);
      if (tool === undefined) return undefined;
      called = { tool: name };
      try {
        requireScope(tool, scopes, surface);
        const text = await tool.call(given, caller);
        return { content: [{ type: 'text' as const, text }] };
      } catch (thrown) {
        const error = failed(name, thrown);
        const text = responseText(errorResponse(error, request.requestId)) ?? '';
        return { content: [{ type: 'text' as const, text }], isError: true };
      }
    };
    const ask = async (method: string, respond: (caller: ToolCaller) => Promise<object>) => {
      called = { tool: method };
      try {
        return { result: await respond(caller) };
      } catch (thrown) {
        const error = failed(method, thrown);
        const refusal = REFUSALS[error.reason];
        if (refusal === undefined) failure = error;
        return { refusal: { code: -32_603, ...refusal, message: error.message } };
      }
    };
    const response: EndpointResponse = await respondToMessage(request.body, {
      header: (name) => request.header(name),
      tools: tools.filter(({ scope }) => scopes.includes(scope)),
      call,
      extensions: extensions.filter(({ scope }) => scopes.includes(scope)),
      ask,
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
