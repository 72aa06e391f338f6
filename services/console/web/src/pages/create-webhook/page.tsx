import { useState } from 'react';
import { Stack, TextInput } from '@mantine/core';
import { LinkButton, PageHeader, Panel } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { type CreatedWebhook, FirstSteps } from './first-steps.js';
import { useAction } from '../../api/hooks.js';
import { Form, useFields } from '../../parts/form.js';
import { AddressField } from '../webhook/address-field.js';
import { EventsField } from '../webhook/events-field.js';
import { eventsViolation } from '../webhook/sentence-of.js';

/** Page that leads to a new, active webhook. */
export function Page() {
  const [created, setCreated] = useState<CreatedWebhook>();
  return (
    <>
      <PageHeader
        title="Create a webhook"
        back={{ to: PATHS.webhooks, label: 'Webhooks' }}
        description="Choose a URL and events, add the secret to your server, send a test delivery, then activate the webhook."
      />
      {created === undefined ? <NewWebhookForm onCreated={setCreated} /> : <FirstSteps created={created} />}
    </>
  );
}

/** Form for a new subscription. */
function NewWebhookForm({ onCreated }: { readonly onCreated: (created: CreatedWebhook) => void }) {
  const create = useAction('createWebhook');
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly string[]>([]);
  const [lacksEvents, setLacksEvents] = useState(false);
  const { values, violations, field } = useFields({ description: '' }, create.error);
  const submit = () => {
    setLacksEvents(events.length === 0);
    if (events.length === 0) return;
    create.run({ body: { url, events, ...(values.description !== '' && values) } }, { onSuccess: onCreated });
  };
  return (
    <Form
      action={create}
      submitLabel="Create webhook"
      onSubmit={submit}
      others={
        <LinkButton to={PATHS.webhooks} variant="default">
          Cancel
        </LinkButton>
      }
    >
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
            {...field('description')}
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
    </Form>
  );
}
