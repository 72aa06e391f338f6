import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Webhook } from '../../api/operations.js';
import { useEventCatalogue } from '../../api/hooks.js';
import { useOwner } from '../../parts/owner.js';
import { Panel } from '../../parts/page.js';
import { groupsFor, TEST_EVENT } from './event-choice.js';
import { TestSteps } from './test-steps.js';
import type { TestDelivery } from './use-test-delivery.js';

/** Sends a test delivery: the example of any event that the company's class may have. */
export function TestPanel({ webhook, test }: { readonly webhook: Webhook; readonly test: TestDelivery }) {
  const [event, setEvent] = useState<string>(TEST_EVENT);
  const { company } = useOwner();
  const catalogue = useEventCatalogue();
  return (
    <Panel title="Test">
      <Stack gap="sm">
        <Text>
          Sends an example, even while the webhook is paused. The header x-svc-test marks it as a test.
        </Text>
        <NativeSelect
          label="Event to send"
          error={catalogue.error === null ? undefined : 'Could not load the events'}
          value={event}
          onChange={({ currentTarget }) => setEvent(currentTarget.value)}
        >
          <option value={TEST_EVENT}>{`${TEST_EVENT} (your server can ignore it)`}</option>
          {groupsFor(catalogue.data?.events ?? [], company.class).map((group) => (
            <optgroup key={group.name} label={group.name}>
              {group.events.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </optgroup>
          ))}
        </NativeSelect>
        <TestSteps test={test} event={event} isNext={!webhook.verified} />
      </Stack>
    </Panel>
  );
}
