import { Button, Group, NumberInput, Stack, TextInput } from '@mantine/core';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { IconPencil } from '@tabler/icons-react';
import { type SubmitEvent, useState } from 'react';
import type { Webhook } from '../../api/operations.js';
import { ActionButton } from '../../parts/action-button.js';
import { violationsByField } from '../../api/api-error.js';
import { useAction } from '../../api/use-action.js';
import { CopyButton } from '../../parts/copy-button.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Panel } from '../../parts/panel.js';
import { PastTime } from '../../parts/relative-time.js';
import { AddressField } from './address-field.js';
import { changesOf, type WebhookSettings } from './changes-of.js';
import { EventPatterns } from './event-patterns.js';
import { eventsViolation } from './events-violation.js';
import { EventsField } from './events-field.js';
import { hasOtherHost, headersViolation, type HeaderValues, HeaderValuesForUrl } from './header-values.js';
import { NewUrlTest } from './new-url-test.js';
import { rateLabel } from './rate-label.js';
import classes from './webhook.module.css';

/** Settings of a subscription, and a form that changes them. */
export function SettingsPanel({ webhook }: { readonly webhook: Webhook }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <Panel
      title="Settings"
      actions={
        !isEditing && (
          <ActionButton
            variant="default"
            size="xs"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setEditing(true)}
          >
            Edit settings
          </ActionButton>
        )
      }
    >
      {isEditing ? (
        <SettingsForm webhook={webhook} onClose={() => setEditing(false)} />
      ) : (
        <Settings webhook={webhook} />
      )}
    </Panel>
  );
}

function Settings({ webhook }: { readonly webhook: Webhook }) {
  const { id, url, description, events, schemaVersion, deliveriesPerSecond, createdAt, updatedAt } = webhook;
  return (
    <dl className={classes['facts']}>
      <dt>Address</dt>
      <dd>
        <Group gap={4}>
          {url}
          <CopyButton value={url} what="the address" isSmall />
        </Group>
      </dd>
      <dt>Name</dt>
      <dd>{description === '' ? 'None' : description}</dd>
      <dt>Events</dt>
      <dd>
        <EventPatterns events={events} />
      </dd>
      <dt>Rate</dt>
      <dd>{rateLabel(deliveriesPerSecond)}</dd>
      <dt>Payload version</dt>
      <dd>{schemaVersion}</dd>
      <dt>Webhook ID</dt>
      <dd>
        <Group gap={4}>
          {id}
          <CopyButton value={id} what="the webhook ID" isSmall />
        </Group>
      </dd>
      <dt>Created</dt>
      <dd>
        <PastTime at={createdAt} />
      </dd>
      <dt>Changed</dt>
      <dd>
        <PastTime at={updatedAt} />
      </dd>
    </dl>
  );
}

function SettingsForm({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const update = useAction('updateWebhook', { done: 'Changes saved' });
  const [given, setGiven] = useState<WebhookSettings>({
    url: webhook.url,
    events: webhook.events,
    description: webhook.description,
    deliveriesPerSecond: webhook.deliveriesPerSecond,
  });
  const [lacksEvents, setLacksEvents] = useState(false);
  const [headerValues, setHeaderValues] = useState<HeaderValues>({});
  const changes = changesOf(webhook, given);
  const isOtherHost = hasOtherHost(webhook.url, given.url);
  const asksHeaders = webhook.headerNames.length > 0 && changes.url !== undefined;
  const entered = webhook.headerNames.flatMap((name) => {
    const value = asksHeaders ? headerValues[name] : undefined;
    return value ? [{ name, value }] : [];
  });
  const violations = violationsByField(update.error);

  const change = (part: Partial<WebhookSettings>) => {
    setGiven({ ...given, ...part });
    setLacksEvents(false);
    update.reset();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (given.events.length === 0) {
      setLacksEvents(true);
    } else if (Object.keys(changes).length === 0) {
      onClose();
    } else {
      const removed = webhook.headerNames.filter((name) => !headerValues[name]);
      const headers = [...entered, ...(isOtherHost ? removed : []).map((name) => ({ name, value: null }))];
      const body = { ...changes, ...(headers.length > 0 && { headers }) };
      update.run({ params: { id: webhook.id }, body }, { onSuccess: onClose });
    }
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <AddressField value={given.url} onChange={(url) => change({ url })} violation={violations['url']} />
        {asksHeaders && (
          <HeaderValuesForUrl
            names={webhook.headerNames}
            values={headerValues}
            onChange={setHeaderValues}
            isOtherHost={isOtherHost}
            violation={headersViolation(violations)}
          />
        )}
        {changes.url !== undefined && (
          <NewUrlTest
            key={JSON.stringify([changes.url, entered])}
            webhook={webhook}
            body={{ url: changes.url, ...(entered.length > 0 && { headers: entered }) }}
          />
        )}
        <TextInput
          label="Name (optional)"
          description="Shown in this console."
          maxLength={200}
          value={given.description}
          onChange={({ currentTarget }) => change({ description: currentTarget.value })}
          error={violations['description']}
        />
        <EventsField
          value={given.events}
          onChange={(events) => change({ events })}
          violation={lacksEvents ? 'Choose at least one event.' : eventsViolation(violations)}
        />
        <NumberInput
          label="Deliveries per second (optional)"
          description="Choose a rate if your server can handle only a few requests at a time. Other deliveries wait, none is lost."
          value={given.deliveriesPerSecond ?? ''}
          onChange={(value) => change({ deliveriesPerSecond: typeof value === 'number' ? value : null })}
          error={violations['deliveriesPerSecond']}
          min={1}
          max={WEBHOOK_LIMITS.deliveriesPerSecond}
          allowDecimal={false}
          maw="26rem"
        />
        <FormFailure error={update.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={update.isRunning}>
            Save changes
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
