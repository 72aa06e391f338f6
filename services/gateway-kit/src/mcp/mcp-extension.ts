import type { Scope } from '@partner/proto-contracts/api/scopes';
import type { ToolCaller } from './tool.js';

/** Requests beside those of tools, of protocol 2026-07-28 and later. A key without the scope does not see them. */
export interface McpExtension {
  /** Its name in the capabilities. */
  readonly id: string;
  readonly scope: Scope;
  /** By method. They throw a `ServiceError`. */
  readonly requests: Readonly<Record<string, (params: unknown, caller: ToolCaller) => Promise<object>>>;
}

/** The error of a request that is refused. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}
