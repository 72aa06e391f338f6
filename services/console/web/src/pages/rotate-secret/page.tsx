import { Link, useParams } from 'react-router';
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAction, useWebhook, type Webhook } from '../../api/hooks.js';
import { LinkButton, Notice, PageHeader, QueryView } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { webhookName } from '../../webhook-facts.js';
import { CodeBlock, SecretOnce } from '../../parts/code.js';
import { SignatureSteps, StepPanel, UNSTORED_SECRET, useSignatureProof } from '../webhook/steps.js';
import { useLeaveQuestion } from '../../unsaved.js';
import { StartButton } from '../../parts/form.js';

/** Page that rotates a secret without deliveries that the receiver cannot verify. */
export function Page() {
  const { id = '' } = useParams();
  const webhook = useWebhook(id);
  return (
    <>
      <PageHeader
        title="Rotate signing secret"
        back={{
          to: PATHS.webhook(id),
          label: webhook.data === undefined ? 'Webhook' : webhookName(webhook.data),
        }}
        description="Both secrets work until you activate the new one, so no delivery is lost. You can leave and continue later."
      />
      <QueryView query={webhook} label="the webhook">
        {(found) => <RotationSteps key={found.id} webhook={found} />}
      </QueryView>
    </>
  );
}

interface Versions {
  readonly current: number;
  /** Undefined until a new secret is created. */
  readonly pending: number | undefined;
}

/** The four steps of a rotation. With a pending secret they resume at its step. */
function RotationSteps({ webhook }: { readonly webhook: Webhook }) {
  const rotate = useAction('rotateWebhookSecret');
  const [storedVersion, setStoredVersion] = useState<number>();
  /** State of this page's rotation: the subscription itself does not keep the former version. */
  const [activated, setActivated] = useState<{ readonly current: number; readonly pending: number }>();
  const made = rotate.response;
  const versions: Versions = activated ?? {
    current: webhook.secretVersion,
    pending: made?.pendingSecretVersion ?? webhook.pendingSecretVersion ?? undefined,
  };
  const isShown = made !== undefined && made.pendingSecretVersion === versions.pending;
  const isStored = versions.pending !== undefined && (!isShown || storedVersion === versions.pending);
  useLeaveQuestion(isShown && !isStored ? UNSTORED_SECRET : undefined);
  const isReplaced = made !== undefined && made.subscription.pendingSecretVersion === null;

  return (
    <Stack gap="lg">
      <StepPanel number={1} title="Create a new secret" state={isStored ? 'done' : 'next'}>
        {isShown ? (
          <SecretOnce
            key={versions.pending}
            label={`Signing secret, version ${made.pendingSecretVersion}`}
            secret={made.secret}
            onStored={(stored) => setStoredVersion(stored ? made.pendingSecretVersion : undefined)}
          />
        ) : (
          <MakeSecret
            versions={versions}
            isKnown={webhook.secretShown}
            rotate={rotate}
            webhookId={webhook.id}
          />
        )}
      </StepPanel>
      {isReplaced ? (
        <SecretReplaced webhookId={webhook.id} version={made.pendingSecretVersion} />
      ) : (
        webhook.secretShown && (
          <LoadProveAndActivate
            key={`${versions.pending ?? 0}`}
            webhookId={webhook.id}
            versions={versions}
            isBlocked={!isStored}
            isActivated={activated !== undefined}
            onActivated={setActivated}
          />
        )
      )}
    </Stack>
  );
}

/** What follows the first secret that anyone has: it signs already, so there is nothing to activate. */
function SecretReplaced({ webhookId, version }: { readonly webhookId: string; readonly version: number }) {
  return (
    <Notice tone="good" title={`Version ${version} signs every test and delivery from now on.`} isAlert>
      <Stack gap="sm">
        <Text size="sm">Add it to your server. Then send a test delivery and activate the webhook.</Text>
        <Group>
          <LinkButton to={PATHS.webhook(webhookId, 'settings')}>Back to the webhook</LinkButton>
        </Group>
      </Stack>
    </Notice>
  );
}

function MakeSecret(props: {
  readonly versions: Versions;
  /** Whether the current secret was ever shown. */
  readonly isKnown: boolean;
  readonly rotate: ReturnType<typeof useAction<'rotateWebhookSecret'>>;
  readonly webhookId: string;
}) {
  const { rotate, isKnown } = props;
  const { current, pending } = props.versions;
  return (
    <Stack gap="sm">
      {pending === undefined ? (
        <Text size="sm">
          {isKnown
            ? `Version ${current} signs deliveries until the last step.`
            : `Version ${current} was never shown. The new secret replaces it at once.`}
        </Text>
      ) : (
        <Notice tone="info" title={`Version ${pending} was created earlier.`}>
          You won’t see it again. If you stored it, continue with step 2. If not, create another one, which
          replaces the pending one.
        </Notice>
      )}
      <StartButton
        action={rotate}
        variant={pending === undefined ? 'filled' : 'default'}
        onClick={() => rotate.run({ params: { id: props.webhookId } })}
      >
        {pending === undefined ? 'Create a new secret' : 'Create another one'}
      </StartButton>
    </Stack>
  );
}

function LoadProveAndActivate(props: {
  readonly webhookId: string;
  readonly versions: Versions;
  readonly isBlocked: boolean;
  readonly isActivated: boolean;
  readonly onActivated: (versions: { readonly current: number; readonly pending: number }) => void;
}) {
  const { webhookId, versions, isBlocked, isActivated } = props;
  const { current, pending } = versions;
  const tests = useSignatureProof(webhookId, pending);
  const activate = useAction('activateWebhookSecret', { done: 'New secret activated' });
  const isProven = tests.proof === 'proven';
  const isAccepted = isProven || tests.proof === 'unverified' || tests.proof === 'unknown';
  return (
    <>
      <StepPanel
        number={2}
        title="Add it to your server next to the old one"
        state={isProven || isActivated ? 'done' : isBlocked ? 'later' : 'next'}
      >
        <Stack gap="sm">
          <Text size="sm">
            Your server needs both. The header x-svc-secret-version of each delivery names the one that signed
            it.{' '}
            <Anchor component={Link} to={PATHS.receiverCode} target="_blank">
              Receiver code (opens in a new tab)
            </Anchor>
          </Text>
          <CodeBlock
            label="Settings of your server"
            copies="settings"
            code={receiverSettings(current, pending ?? current + 1)}
            maxHeight="14rem"
          />
        </Stack>
      </StepPanel>
      <StepPanel
        number={3}
        title="Test the new secret"
        state={isProven ? 'done' : isBlocked ? 'later' : 'next'}
      >
        {isActivated ? (
          <Text size="sm">{`Your server accepted version ${pending ?? ''}.`}</Text>
        ) : (
          <SignatureSteps tests={tests} version={pending} isBlocked={isBlocked} isNext={!isProven} />
        )}
      </StepPanel>
      <StepPanel
        number={4}
        title="Activate the new secret"
        state={isActivated ? 'done' : isProven ? 'next' : 'later'}
      >
        {isActivated ? (
          <Activated webhookId={webhookId} versions={versions} />
        ) : (
          <Stack gap="sm">
            <Text size="sm">
              {isAccepted && !isProven
                ? 'Every delivery is signed with the new secret from then on. The tests don’t prove yet that your server has it: if it does not, all of them fail.'
                : 'Every delivery is signed with the new secret from then on.'}
            </Text>
            <StartButton
              action={activate}
              variant={isProven ? 'filled' : 'default'}
              disabled={!isAccepted || pending === undefined}
              onClick={() => {
                if (pending === undefined) return;
                activate.run(
                  { params: { id: webhookId }, body: { pendingSecretVersion: pending } },
                  { onSuccess: () => props.onActivated({ current, pending }) },
                );
              }}
            >
              Activate new secret
            </StartButton>
          </Stack>
        )}
      </StepPanel>
    </>
  );
}

function Activated({ webhookId, versions }: { readonly webhookId: string; readonly versions: Versions }) {
  const { current, pending } = versions;
  return (
    <Stack gap="sm">
      <Notice tone="good" title={`Version ${pending ?? ''} signs every delivery from now on.`} isAlert>
        {`Keep version ${current} on your server for one more day: deliveries in flight may be signed with it. Then remove it.`}
      </Notice>
      <Group>
        <LinkButton to={PATHS.webhook(webhookId)}>Back to the webhook</LinkButton>
      </Group>
    </Stack>
  );
}

/** Returns the receiver's settings for two secrets, by version. The secrets themselves are only in the receiver. */
function receiverSettings(current: number, pending: number): string {
  return [
    '# One line for each version of the secret',
    `WEBHOOK_SECRET_${current}=<the secret that your server has now>`,
    `WEBHOOK_SECRET_${pending}=<the new secret from step 1>`,
  ].join('\n');
}
