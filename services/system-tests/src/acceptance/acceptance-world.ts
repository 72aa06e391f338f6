import { type SurfaceSide, createSurfaceSide } from '../surfaces/surface-side.js';
import { type WireAnswer, type WireRequest, send } from '../surfaces/send.js';
import { type TestStack, startTestStack } from '../test-stack.js';

/** One running stack, with a seller and an installer company, that every acceptance topic sends requests to. */
export interface AcceptanceWorld {
  readonly stack: TestStack;
  readonly side: SurfaceSide;
  /** Sends a request to the base address, as a partner would. */
  send(request: WireRequest): Promise<WireAnswer>;
}

/** Starts the stack; `stack.stop()` ends it. */
export async function startAcceptanceWorld(): Promise<AcceptanceWorld> {
  const stack = await startTestStack({});
  const side = await createSurfaceSide(stack);
  return { stack, side, send: (request) => send(stack.baseUrl, request) };
}
