import { Group, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { ActionButton } from '../../parts/owner.js';
import { CodeBlock } from '../../parts/code.js';
import { Advice } from '../../parts/facts.js';
import { FormFailure } from '../../parts/form.js';
import { Notice, TextLink } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import type { TestDelivery } from './use-test-delivery.js';

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
