import { useEffect } from 'react';
import { useDelivery } from '../../api/deliveries.js';
import { useTestWebhook } from '../../api/webhooks.js';
import { outcomeOfTest, type TestOutcome } from './test-outcome.js';

/** The stream of changes may say nothing for a while; someone waits here. */
const LOOK_AGAIN_MS = 1_000;

/** Tests of one subscription, and what came of the last one. */
export interface TestDelivery {
  send(): void;
  readonly isSending: boolean;
  /** The last test; undefined before the first. */
  readonly deliveryId: string | undefined;
  /** Undefined before the first test. */
  readonly outcome: TestOutcome | undefined;
}

/** Sends test deliveries, signed with the secret of the version if there is one, and waits for what comes of each. */
export function useTestDelivery(webhookId: string, secretVersion?: number): TestDelivery {
  const test = useTestWebhook(webhookId);
  const deliveryId = test.answer?.id;
  const { data, refetch } = useDelivery(deliveryId);
  const outcome = deliveryId === undefined ? undefined : data === undefined ? WAITING : outcomeOfTest(data);
  const isWaiting = outcome?.kind === 'waiting';

  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => void refetch(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isWaiting, refetch]);

  return {
    send: () => test.run(secretVersion === undefined ? {} : { secretVersion }),
    isSending: test.isRunning || isWaiting,
    deliveryId,
    outcome,
  };
}

const WAITING: TestOutcome = { kind: 'waiting' };
