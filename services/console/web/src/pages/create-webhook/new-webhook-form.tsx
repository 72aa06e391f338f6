import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { violationsByField } from '../../api/api-error.js';
import { useAction } from '../../api/use-action.js';
import { FormFailure } from '../../parts/form-failure.js';
import { LinkButton } from '../../parts/link-button.js';
import { Panel } from '../../parts/panel.js';
import { PATHS } from '../../paths.js';
import { AddressField } from '../webhook/address-field.js';
import { EventsField } from '../webhook/events-field.js';
import { eventsViolation } from '../webhook/events-violation.js';
import type { CreatedWebhook } from './first-steps.js';

/** Form for a new subscription. */
export function NewWebhookForm({ onCreated }: { readonly onCreated: (created: CreatedWebhook) => void }) {
  const create = useAction('createWebhook');
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly string[]>([]);
  const [description, setDescription] = useState('');
  const [lacksEvents, setLacksEvents] = useState(false);
  const violations = violationsByField(create.error);

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setLacksEvents(events.length === 0);
    if (events.length === 0) return;
    create.run(
      { body: { url, events, ...(description === '' ? {} : { description }) } },
      { onSuccess: onCreated },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <Panel>
          <Stack>
            <AddressField
              value={url}
              onChange={(value) => {
                setUrl(value);
                create.reset();
              }}
              violation={violations['url']}
            />
            <TextInput
              label="Name (optional)"
              description="Shown in this console, e.g. the name of the receiving system."
              maxLength={200}
              value={description}
              onChange={({ currentTarget }) => setDescription(currentTarget.value)}
              error={violations['description']}
            />
          </Stack>
        </Panel>
        <Panel>
          <EventsField
            value={events}
            onChange={(value) => {
              setEvents(value);
              setLacksEvents(false);
            }}
            violation={lacksEvents ? 'Choose at least one event.' : eventsViolation(violations)}
          />
        </Panel>
        <FormFailure error={create.error} />
        <Group justify="flex-end">
          <LinkButton to={PATHS.webhooks} variant="default">
            Cancel
          </LinkButton>
          <Button type="submit" loading={create.isRunning}>
            Create webhook
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
