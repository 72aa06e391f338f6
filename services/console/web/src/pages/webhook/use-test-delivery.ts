import { useEffect } from 'react';
import type { TestBody } from '../../api/operations.js';
import { useAction, useDelivery } from '../../api/hooks.js';
import { outcomeOfTest, type TestOutcome } from './test-outcome.js';

/** Polls while the owner waits, because change events can be late. */
const POLL_MS = 1_000;

/** Test deliveries of one subscription, with the last outcome. */
export interface TestDelivery {
  /** Sends the example of the event; without one, an `install.test`. */
  send(event?: string): void;
  readonly isSending: boolean;
  /** Why the last test could not be sent; null if it was. */
  readonly error: Error | null;
  /** The last test; undefined before the first. */
  readonly deliveryId: string | undefined;
  /** Undefined before the first test. */
  readonly outcome: TestOutcome | undefined;
}

/**
 * Sends test deliveries and waits for their outcomes. Each is signed with the secret of `secretVersion`, or with `wrongSignature` with
 * none that the server has, and goes to another `url` with its `headers` if the body has one.
 */
export function useTestDelivery(webhookId: string, body: Omit<TestBody, 'event'> = {}): TestDelivery {
  const test = useAction('testWebhook');
  const deliveryId = test.response?.id;
  const { data, refetch } = useDelivery(deliveryId);
  const outcome = deliveryId === undefined ? undefined : data === undefined ? WAITING : outcomeOfTest(data);
  const isWaiting = outcome?.kind === 'waiting';

  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => void refetch(), POLL_MS);
    return () => clearInterval(timer);
  }, [isWaiting, refetch]);

  return {
    send: (event) =>
      test.run({ params: { id: webhookId }, body: { ...body, ...(event !== undefined && { event }) } }),
    isSending: test.isRunning || isWaiting,
    error: test.error,
    deliveryId,
    outcome,
  };
}

const WAITING: TestOutcome = { kind: 'waiting' };
