import type { CallOptions } from '@partner/kernel/amqp/operation-client';

/** Parts of a request that are available before authentication. */
export interface SurfaceRequest {
  readonly method: string;
  readonly path: string;
  /** Returns a header by its lower-case name. Repeated headers are joined by commas. */
  header(name: string): string | undefined;
  /** Client address; `x-forwarded-for` counts only from trusted proxies. */
  readonly remoteAddress: string;
}

export interface AuthenticationRequest extends SurfaceRequest {
  /** Options of the authentication's RPC: deadline, cancellation and `x-request-id`. */
  readonly call: CallOptions;
  readonly isOverFailureLimit: boolean;
}
