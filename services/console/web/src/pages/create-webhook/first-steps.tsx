import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { type Output, useAction, type Webhook } from '../../api/hooks.js';
import { FormFailure } from '../../parts/form.js';
import { LinkButton, Notice } from '../../parts/page.js';
import { SecretOnce } from '../../parts/code.js';
import { PATHS } from '../../paths.js';
import { EventPatterns } from '../../parts/data.js';
import { LeaveGuard } from '../webhook/leave-guard.js';
import { StepPanel } from '../webhook/step-panel.js';
import { TestSteps, useTestDelivery } from '../webhook/test-steps.js';

/** Response of the creation. */
export type CreatedWebhook = Output<'createWebhook'>;

/** Steps from a new subscription to its first events. */
export function FirstSteps({ created }: { readonly created: CreatedWebhook }) {
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
            <FormFailure error={activate.error} />
            <Group>
              <Button
                disabled={!isProven || !wasStored}
                loading={activate.isRunning}
                onClick={() => activate.run({ params: { id } })}
              >
                Activate webhook
              </Button>
            </Group>
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
