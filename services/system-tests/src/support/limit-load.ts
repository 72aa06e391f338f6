import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '@partner/test-kit/http-call';
import { call } from './http-call.js';
import type { TimedResponse } from './limit-evidence.js';

/** Sends one request and notes when. */
export async function callTimed(baseUrl: string, path: string, options: Call): Promise<TimedResponse> {
  const sentAt = performance.now();
  const { status, headers } = await call(baseUrl, path, options);
  return {
    sentAt,
    answeredAt: performance.now(),
    status,
    retryAfter: headers.get('retry-after'),
    rateLimitPolicy: headers.get('ratelimit-policy'),
    rateLimit: headers.get('ratelimit'),
  };
}

/**
 * Sends requests from several senders at once until `isOver`, which sees all answers so far. Each sender pauses between an
 * answer and its next request, so that the machine has time for what is measured.
 */
export async function sendUntil(load: {
  readonly senders: number;
  readonly pauseMs: number;
  readonly send: (turn: number) => Promise<TimedResponse>;
  readonly isOver: (answers: readonly TimedResponse[]) => boolean;
}): Promise<TimedResponse[]> {
  const answers: TimedResponse[] = [];
  let turn = 0;
  const sendInTurn = async () => {
    while (!load.isOver(answers)) {
      answers.push(await load.send(turn++));
      await delay(load.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: load.senders }, sendInTurn));
  return answers;
}

/** Sends so many requests, a few of them at once. */
export async function sendTimes(
  times: number,
  send: (turn: number) => Promise<TimedResponse>,
): Promise<TimedResponse[]> {
  let turn = 0;
  const answers: TimedResponse[] = [];
  const sendInTurn = async () => {
    while (turn < times) answers.push(await send(turn++));
  };
  await Promise.all(Array.from({ length: 10 }, sendInTurn));
  return answers;
}
