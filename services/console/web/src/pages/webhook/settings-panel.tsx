import { Code, Group, NumberInput, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import {
  CUSTOM_HEADER_LIMITS,
  isSameHost,
} from '@partner/proto-contracts/resources/subscription/custom-headers';
import { type TestBody, useAction, type Webhook } from '../../api/hooks.js';
import { ActionButton, Notice, Panel, Small } from '../../parts/page.js';
import { violationsByField } from '../../api/api-client.js';
import { CopyButton } from '../../parts/code.js';
import { Form } from '../../parts/form.js';
import { EventPatterns, Facts, PastTime } from '../../parts/data.js';
import { EventChoice } from './event-choice.js';
import { AddressField } from './fields.js';
import { changesOf, eventsViolation, type WebhookSettings } from './webhook-input.js';
import { rateLabel } from '../../webhook-facts.js';
import { TestSteps, useTestDelivery } from './steps.js';

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
    <Facts
      facts={{
        Address: (
          <Group gap={4}>
            {url}
            <CopyButton value={url} what="the address" isSmall />
          </Group>
        ),
        Name: description === '' ? 'None' : description,
        Events: <EventPatterns events={events} />,
        Rate: rateLabel(deliveriesPerSecond),
        'Payload version': schemaVersion,
        'Webhook ID': (
          <Group gap={4}>
            {id}
            <CopyButton value={id} what="the webhook ID" isSmall />
          </Group>
        ),
        Created: <PastTime at={createdAt} />,
        Changed: <PastTime at={updatedAt} />,
      }}
    />
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
  const submit = () => {
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
    <Form action={update} submitLabel="Save changes" onSubmit={submit} onCancel={onClose}>
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
      <EventChoice
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
    </Form>
  );
}

/** Values of custom headers by name, as they are entered for another host. */
type HeaderValues = Readonly<Record<string, string>>;

/** Whether a URL that is being entered has another host than the current one. */
function hasOtherHost(current: string, entered: string): boolean {
  return URL.canParse(entered) && !isSameHost(current, entered);
}

/** The first violation of the headers of a request. */
function headersViolation(violations: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(violations).find(([path]) => path.startsWith('headers'))?.[1];
}

/** Asks for the values of custom headers for another URL: its test never gets the stored ones, and neither does another host. */
function HeaderValuesForUrl(props: {
  readonly names: readonly string[];
  readonly values: HeaderValues;
  readonly onChange: (values: HeaderValues) => void;
  readonly isOtherHost: boolean;
  readonly violation: string | undefined;
}) {
  const { names, values, onChange, isOtherHost, violation } = props;
  return (
    <Stack gap="sm">
      {isOtherHost ? (
        <Notice tone="warn" title="This URL has another host">
          Stored values of custom headers are not sent to it. Enter them for this host. A header without a
          value is removed.
        </Notice>
      ) : (
        <Text size="sm">
          The test has only the custom headers that you enter here. Without a value, the stored one stays.
        </Text>
      )}
      {names.map((name) => (
        <PasswordInput
          key={name}
          label={
            <>
              Value of <Code>{name}</Code> (optional)
            </>
          }
          value={values[name] ?? ''}
          onChange={({ currentTarget }) => onChange({ ...values, [name]: currentTarget.value })}
          maxLength={CUSTOM_HEADER_LIMITS.valueLength}
          autoComplete="off"
          maw="26rem"
        />
      ))}
      {violation !== undefined && <Small c="red">{violation}</Small>}
    </Stack>
  );
}

/** Tests a URL that is being entered, before the webhook switches to it. */
function NewUrlTest(props: {
  readonly webhook: Webhook;
  /** With the URL and its custom headers. */
  readonly body: TestBody;
}) {
  const { webhook, body } = props;
  const test = useTestDelivery(webhook.id, body);
  return (
    <>
      <Notice tone="warn" title="Test the new URL first">
        {webhook.state === 'active'
          ? `If it accepts a test and you save within ${WEBHOOK_LIMITS.testedUrlMinutes} minutes, the webhook stays active. Otherwise it is paused when you save. Queued deliveries go to the new URL.`
          : `If it accepts a test and you save within ${WEBHOOK_LIMITS.testedUrlMinutes} minutes, you can activate the webhook without another test.`}
      </Notice>
      <TestSteps test={test} isNext={false} />
    </>
  );
}
