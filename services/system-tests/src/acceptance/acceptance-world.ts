import type { HttpResponse } from '@partner/test-kit/http-call';
import { createSurfaceSide, type SurfaceSide } from '../surfaces/surface-side.js';
import { send, type WireRequest } from '../surfaces/send.js';
import { startTestStack, type TestStack } from '../support/test-stack.js';

/** One running stack, with a seller and an installer company, that every acceptance topic sends requests to. */
export interface AcceptanceWorld {
  readonly stack: TestStack;
  readonly side: SurfaceSide;
  /** Has nothing to do with {@link AcceptanceWorld.side}. */
  readonly other: SurfaceSide;
  send(request: WireRequest): Promise<HttpResponse>;
}

export async function startAcceptanceWorld(): Promise<AcceptanceWorld> {
  const stack = await startTestStack({});
  const side = await createSurfaceSide(stack);
  const other = await createSurfaceSide(stack);
  return { stack, side, other, send: (request) => send(stack.baseUrl, request) };
}
