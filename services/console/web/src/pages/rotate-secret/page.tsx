import { useParams } from 'react-router';
import { type ReactNode, useState } from 'react';
import { Link } from '../../parts/link.js';
import { useAction, useWebhook, type Webhook } from '../../api/hooks.js';
import { LinkButton, Notice, PageHeader, Panel, QueryView } from '../../parts/page.js';
import { StateDot } from '../../parts/data.js';
import { PATHS } from '../../paths.js';
import { webhookName } from '../../webhook-facts.js';
import { CodeBlock, SecretOnce } from '../../parts/code.js';
import { SignatureSteps, UNSTORED_SECRET, useSignatureProof } from '../webhook/steps.js';
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
  const { id, secretShown } = webhook;
  const rotate = useAction('rotateWebhookSecret');
  const [storedVersion, setStoredVersion] = useState<number>();
  /** State of this page's rotation: the subscription itself does not keep the former version. */
  const [activated, setActivated] = useState<Versions>();
  const made = rotate.response;
  const versions: Versions = activated ?? {
    current: webhook.secretVersion,
    pending: made?.pendingSecretVersion ?? webhook.pendingSecretVersion ?? undefined,
  };
  const { current, pending } = versions;
  const isShown = made !== undefined && made.pendingSecretVersion === pending;
  const isStored = pending !== undefined && (!isShown || storedVersion === pending);
  useLeaveQuestion(isShown && !isStored ? UNSTORED_SECRET : undefined);
  // The first secret that anyone has signs already, so there is nothing to activate.
  const isReplaced = made !== undefined && made.subscription.pendingSecretVersion === null;
  const create = (
    <StartButton
      action={rotate}
      variant={pending === undefined ? 'filled' : 'default'}
      onClick={() => rotate.run({ params: { id } })}
    >
      {pending === undefined ? 'Create a new secret' : 'Create another one'}
    </StartButton>
  );
  return (
    <div className="sections">
      <Step title="1. Create a new secret" state={isStored ? 'done' : 'next'}>
        {isShown ? (
          <SecretOnce
            key={pending}
            label={`Signing secret, version ${pending}`}
            secret={made.secret}
            onStored={(stored) => setStoredVersion(stored ? pending : undefined)}
          />
        ) : pending === undefined ? (
          <>
            <p className="small">
              {secretShown
                ? `Version ${current} signs deliveries until the last step.`
                : `Version ${current} was never shown. The new secret replaces it immediately.`}
            </p>
            {create}
          </>
        ) : (
          <>
            <Notice tone="info" title={`Version ${pending} was created earlier.`}>
              You won’t see it again. If you stored it, continue with step 2. If not, create another one,
              which replaces the pending one.
            </Notice>
            {create}
          </>
        )}
      </Step>
      {isReplaced ? (
        <Signs webhookId={id} version={pending}>
          Add it to your server. Then send a test delivery and activate the webhook.
        </Signs>
      ) : (
        secretShown && (
          <LoadProveAndActivate
            key={pending}
            webhookId={id}
            versions={versions}
            isBlocked={!isStored}
            isActivated={activated !== undefined}
            onActivated={() => setActivated(versions)}
          />
        )
      )}
    </div>
  );
}

const LOOKS = {
  done: { tone: 'good', label: 'Done' },
  next: { tone: 'info', label: 'Do this now' },
  later: { tone: 'quiet', label: 'Later' },
} as const;

function Step(props: {
  readonly title: string;
  readonly state: keyof typeof LOOKS;
  readonly children: ReactNode;
}) {
  return (
    <Panel title={props.title} actions={<StateDot {...LOOKS[props.state]} />}>
      {props.children}
    </Panel>
  );
}

/** Says that the new secret is in use. */
function Signs(props: {
  readonly webhookId: string;
  readonly version: number | undefined;
  readonly children: ReactNode;
}) {
  const { webhookId, version = '', children } = props;
  return (
    <div className="stack">
      <Notice tone="good" title={`Version ${version} signs every test and delivery from now on.`} isAlert>
        {children}
      </Notice>
      <LinkButton to={PATHS.webhook(webhookId)}>Back to the webhook</LinkButton>
    </div>
  );
}

function LoadProveAndActivate(props: {
  readonly webhookId: string;
  readonly versions: Versions;
  readonly isBlocked: boolean;
  readonly isActivated: boolean;
  readonly onActivated: () => void;
}) {
  const { webhookId, isBlocked, isActivated } = props;
  const { current, pending } = props.versions;
  const tests = useSignatureProof(webhookId, pending);
  const activate = useAction('activateWebhookSecret', { done: 'New secret activated' });
  const isProven = tests.proof === 'proven' || isActivated;
  const isAccepted = isProven || tests.proof === 'unverified' || tests.proof === 'unknown';
  const state = isProven ? 'done' : isBlocked ? 'later' : 'next';
  return (
    <>
      <Step title="2. Add it to your server next to the old one" state={state}>
        <p className="small">
          Your server needs both. The header x-svc-secret-version of each delivery names the one that signed
          it.{' '}
          <Link to={PATHS.receiverCode} target="_blank">
            Receiver code (opens in a new tab)
          </Link>
        </p>
        <CodeBlock
          label="Settings of your server"
          copies="settings"
          code={`# One line for each version of the secret
WEBHOOK_SECRET_${current}=<the secret that your server has now>
WEBHOOK_SECRET_${pending ?? current + 1}=<the new secret from step 1>`}
        />
      </Step>
      <Step title="3. Test the new secret" state={state}>
        {isActivated ? (
          <p className="small">{`Your server accepted version ${pending ?? ''}.`}</p>
        ) : (
          <SignatureSteps tests={tests} version={pending} isBlocked={isBlocked} isNext={!isProven} />
        )}
      </Step>
      <Step title="4. Activate the new secret" state={isActivated ? 'done' : isProven ? 'next' : 'later'}>
        {isActivated ? (
          <Signs webhookId={webhookId} version={pending}>
            {`Keep version ${current} on your server for one more day: deliveries in flight may be signed with it. Then remove it.`}
          </Signs>
        ) : (
          <>
            <p className="small">
              Every delivery is signed with the new secret from then on.
              {isAccepted &&
                !isProven &&
                ' The tests haven’t proved yet that your server has it. If it doesn’t, all deliveries will fail.'}
            </p>
            <StartButton
              action={activate}
              variant={isProven ? 'filled' : 'default'}
              disabled={!isAccepted || pending === undefined}
              onClick={() =>
                pending !== undefined &&
                activate.run(
                  { params: { id: webhookId }, body: { pendingSecretVersion: pending } },
                  { onSuccess: props.onActivated },
                )
              }
            >
              Activate new secret
            </StartButton>
          </>
        )}
      </Step>
    </>
  );
}
