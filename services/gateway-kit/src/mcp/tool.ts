import type { Scope } from '@partner/proto-contracts/api/scopes';
import type { ApiKeyPrincipal } from '../auth/api-key-authentication.js';
import type { EndpointRequest } from '../http/endpoint.js';
import type { JsonObject, ToolSchema } from './tool-schema.js';

/** Name of a tool that only reads. One that has an effect begins with another verb, so that no pattern for names mixes them (MCP-8). */
export type ReadingToolName = `${'explain' | 'get' | 'list' | 'preview' | 'read'}_${string}`;

/** A tool of an assistant. It does what its caller's key may do with the operations of the surface, and nothing else. */
export type Tool = AnyTool &
  (
    | { readonly name: ReadingToolName; readonly isReadOnly: true }
    | { readonly name: `replay_${string}`; readonly isReadOnly: false }
  );

interface AnyTool {
  readonly title: string;
  readonly description: string;
  /** The scope of its operations. A key without it does not see the tool. */
  readonly scope: Scope;
  readonly inputSchema: ToolSchema;
  /** Returns the result as JSON text. Throws a `ServiceError`. */
  call(given: JsonObject, caller: ToolCaller): Promise<string>;
}

export interface ToolCaller {
  readonly request: EndpointRequest<ApiKeyPrincipal, unknown, unknown>;
  /**
   * Runs an operation of the surface as the caller, with its scope check and validation, and returns the body of its response. Throws
   * its error.
   */
  perform(operation: { readonly id: string }, input: OperationCall): Promise<string>;
}

export interface OperationCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly idempotencyKey?: string;
}
