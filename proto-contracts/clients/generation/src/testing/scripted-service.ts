import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach } from '@jest/globals';
import { type ReceivedRequest, type Receiver, startReceiver } from '@partner/test-kit/receiver';

export type Respond = (response: ServerResponse, request: ReceivedRequest) => void;

/** A service that a test scripts; each test has a new one. */
export interface ScriptedService {
  /** The next responses; then `otherwise`. */
  script: Respond[];
  otherwise: Respond;
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
}

export function scriptedService(): ScriptedService {
  let server: Receiver | undefined;
  const service: ScriptedService = {
    script: [],
    otherwise: raw(204, ''),
    get url() {
      return `http://127.0.0.1:${server?.port}`;
    },
    get requests() {
      return server?.requests ?? [];
    },
  };
  beforeEach(async () => {
    service.script = [];
    server = await startReceiver({
      respond: (request, response) => (service.script.shift() ?? service.otherwise)(response, request),
    });
  });
  afterEach(() => server?.close());
  return service;
}

export const raw =
  (status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Respond =>
  (response) =>
    response.writeHead(status, headers).end(body);

export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  raw(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });

export const refusal = (status: number, code = 'x', more: object = {}, headers = {}) =>
  json(status, { error: 'no', code, requestId: 'r-1', ...more }, headers);

export const times = <T>(count: number, what: T): T[] => Array.from({ length: count }, () => what);
