import { useEffect, useRef, useState } from 'react';
import { Anchor, Group, Stack, Text, TextInput } from '@mantine/core';
import { LinkButton, Notice, PageHeader, Panel } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { type Output, useAction, type Webhook } from '../../api/hooks.js';
import { Form, StartButton, useFields } from '../../parts/form.js';
import { AddressField } from '../webhook/fields.js';
import { eventsViolation } from '../webhook/webhook-input.js';
import { Link } from 'react-router';
import { SecretOnce } from '../../parts/code.js';
import { EventPatterns } from '../../parts/data.js';
import { EventChoice } from '../webhook/event-choice.js';
import { LeaveGuard, StepPanel, TestSteps, useTestDelivery } from '../webhook/steps.js';

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
        <EventChoice
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

/** Response of the creation. */
type CreatedWebhook = Output<'createWebhook'>;

/** Steps from a new subscription to its first events. */
function FirstSteps({ created }: { readonly created: CreatedWebhook }) {
  const { id, url, events, secretVersion } = created.subscription;
  const [isStored, setStored] = useState(false);
  const [wasStored, setWasStored] = useState(false);
  const test = useTestDelivery(id);
  const activate = useAction('activateWebhook', { done: 'Webhook activated' });
  const isProven = test.outcome?.kind === 'delivered';
  const isActive = activate.response !== undefined;

  return (
    <Stack gap="lg">
      <LeaveGuard isOn={!wasStored} />
      <CreatedNotice url={url} events={events} isActive={isActive} />
      <StepPanel number={1} title="Add the secret to your server" state={isStored ? 'done' : 'next'}>
        <Stack gap="sm">
          <Text size="sm">
            {`Your server verifies deliveries with it. This is version ${secretVersion} of the secret. `}
            <Anchor component={Link} to={PATHS.receiverCode} target="_blank">
              Verification code (opens in a new tab)
            </Anchor>
          </Text>
          <SecretOnce
            label="Signing secret"
            secret={created.secret}
            onStored={(stored) => {
              setStored(stored);
              if (stored) setWasStored(true);
            }}
          />
        </Stack>
      </StepPanel>
      <StepPanel
        number={2}
        title="Send a test delivery"
        state={isProven ? 'done' : isStored ? 'next' : 'later'}
      >
        <Stack gap="sm">
          <Text size="sm">We send an install.test event. Your server must respond with a 2xx status.</Text>
          <TestSteps test={test} isNext={!isProven} />
        </Stack>
      </StepPanel>
      <StepPanel
        number={3}
        title="Activate the webhook"
        state={isActive ? 'done' : isProven ? 'next' : 'later'}
      >
        {isActive ? (
          <Activated webhookId={id} />
        ) : (
          <Stack gap="sm">
            <Text size="sm">
              Events are sent once it is active. You can do this later: the webhook stays paused.
            </Text>
            <StartButton
              action={activate}
              disabled={!isProven || !wasStored}
              onClick={() => activate.run({ params: { id } })}
            >
              Activate webhook
            </StartButton>
          </Stack>
        )}
      </StepPanel>
    </Stack>
  );
}

/** Shown at the top of the page, where it takes the focus. */
function CreatedNotice(props: Pick<Webhook, 'url' | 'events'> & { readonly isActive: boolean }) {
  const top = useRef<HTMLDivElement>(null);

  useEffect(() => {
    top.current?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  }, []);

  return (
    <div ref={top} tabIndex={-1} role="group" aria-label="Created">
      <Notice
        tone="good"
        title={`Your webhook is created.${props.isActive ? '' : ' It is paused until you have tested it.'}`}
      >
        <Stack gap={4}>
          <span>{props.url}</span>
          <EventPatterns events={props.events} />
        </Stack>
      </Notice>
    </div>
  );
}

function Activated({ webhookId }: { readonly webhookId: string }) {
  return (
    <Stack gap="sm">
      <Notice tone="good" title="Your webhook is active" isAlert>
        Events are sent from now on.
      </Notice>
      <Group>
        <LinkButton to={PATHS.webhook(webhookId)}>View webhook</LinkButton>
        <LinkButton to={PATHS.deliveries({ webhook: webhookId })} variant="default">
          View deliveries
        </LinkButton>
      </Group>
    </Stack>
  );
}
