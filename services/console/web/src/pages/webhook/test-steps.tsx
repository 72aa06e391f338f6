import { Group, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useEffect } from 'react';
import { ActionButton, Notice, TextLink } from '../../parts/page.js';
import { CodeBlock } from '../../parts/code.js';
import { Advice } from '../../parts/data.js';
import { FormFailure } from '../../parts/form.js';
import { PATHS } from '../../paths.js';
import { type TestBody, useAction, useDelivery } from '../../api/hooks.js';
import { outcomeOfTest, type TestOutcome } from './test-outcome.js';

/** Button that sends a test delivery, with the last outcome below it. */
export function TestSteps(props: {
  readonly test: TestDelivery;
  /** The event whose example is sent; without one, an install.test. */
  readonly event?: string | undefined;
  /** True if this is the next step. */
  readonly isNext?: boolean;
}) {
  const { test, event, isNext = true } = props;
  return (
    <Stack gap="sm" align="stretch">
      <FormFailure error={test.error} />
      <Group>
        <ActionButton
          onClick={() => test.send(event)}
          loading={test.isSending}
          leftSection={<IconSend size={18} aria-hidden />}
          variant={isNext ? 'filled' : 'default'}
        >
          {test.outcome === undefined ? 'Send a test delivery' : 'Test again'}
        </ActionButton>
      </Group>
      <div role="status">
        <TestResult test={test} />
      </div>
    </Stack>
  );
}

/** Outcome of the last test, with advice after a failure. */
export function TestResult({ test: { outcome, deliveryId } }: { readonly test: TestDelivery }) {
  if (outcome === undefined || deliveryId === undefined) return null;
  if (outcome.kind === 'waiting') {
    return <Notice tone="info" title="Sent, waiting for a response …" />;
  }
  if (outcome.kind === 'delivered') {
    return (
      <Notice tone="good" title="Test delivered">
        {outcome.title}
      </Notice>
    );
  }
  return (
    <Notice tone="bad" title={outcome.what}>
      <Stack gap="xs">
        <Advice advice={outcome.advice} />
        {outcome.seen !== null && <Text size="sm">{`Details: ${outcome.seen}.`}</Text>}
        {outcome.responseBody !== null && outcome.responseBody !== '' && (
          <CodeBlock
            label="Response of your server"
            copies="response"
            code={outcome.responseBody}
            wraps
            maxHeight="10rem"
          />
        )}
        <TextLink to={PATHS.delivery(deliveryId)} size="sm">
          View delivery
        </TextLink>
      </Stack>
    </Notice>
  );
}

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
