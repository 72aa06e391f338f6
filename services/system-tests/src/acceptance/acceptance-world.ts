import { type SurfaceSide, createSurfaceSide } from '../surfaces/surface-side.js';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { type WireRequest, send } from '../surfaces/send.js';
import { type TestStack, startTestStack } from '../support/test-stack.js';
import type { ReceiverResponse } from '../support/webhook-receiver.js';

/** `WEBHOOK_RETRY_BASE_MS` of the stack. */
export const RETRY_BASE_MS = 1_000;

/** One running stack, with a seller and an installer company, that every acceptance topic sends requests to. */
export interface AcceptanceWorld {
  readonly stack: TestStack;
  readonly side: SurfaceSide;
  /** How the receiver responds at a path; 204 without it. */
  readonly answers: Map<string, ReceiverResponse>;
  /** Sends a request to the base address, as a partner would. */
  send(request: WireRequest): Promise<HttpResponse>;
}

/** Starts the stack; `stack.stop()` ends it. */
export async function startAcceptanceWorld(): Promise<AcceptanceWorld> {
  const answers = new Map<string, ReceiverResponse>();
  const stack = await startTestStack({
    settings: { 'job-state': { WEBHOOK_RETRY_BASE_MS: String(RETRY_BASE_MS) } },
    answer: ({ path }) => answers.get(path) ?? 204,
  });
  const side = await createSurfaceSide(stack);
  return { stack, side, answers, send: (request) => send(stack.baseUrl, request) };
}
