import { useState } from 'react';
import { Navigate, useParams, useSearchParams } from 'react-router';
import { Link } from '../../parts/link.js';
import { useAction, useOperation, useOperationList, useWebhook, type Webhook } from '../../api/hooks.js';
import {
  LinkButton,
  Loading,
  LoadMore,
  Notice,
  PageHeader,
  Panel,
  QueryView,
  useOwner,
} from '../../parts/page.js';
import { DeliveryTable, Facts, NextAttempt, useNow, WebhookState } from '../../parts/data.js';
import { FormFailure } from '../../parts/form.js';
import { PATHS, WEBHOOK_TABS } from '../../paths.js';
import { conditionText, webhookName } from '../../webhook-facts.js';
import { type Deletion, WebhookActions } from './actions.js';
import { RetryWaiting } from './retry-waiting.js';
import { Settings } from './settings.js';
import { SignatureSteps, useSignatureProof } from './steps.js';
import { TryAddress } from './try-address.js';
import { SpanMenu, Traffic, useSpan } from '../../parts/traffic.js';
import { CopyButton } from '../../parts/code.js';
import { Tabs } from '../../parts/overlays.js';

const BACK = { to: PATHS.webhooks, label: 'Webhooks' };

/** Page of one subscription: recent deliveries, health, settings and secret. */
export function Page() {
  const { id = '' } = useParams();
  const [isDeleted, setDeleted] = useState(false);
  const deletion = useAction('deleteWebhook', { done: 'Webhook deleted', onDone: () => setDeleted(true) });
  if (isDeleted) return <Navigate to={PATHS.webhooks} replace />;
  // Stops reloading a subscription that is being deleted.
  if (deletion.isRunning) {
    return (
      <>
        <PageHeader title="Webhook" back={BACK} />
        <Loading label="Deleting the webhook" />
      </>
    );
  }
  return <WebhookPage key={id} id={id} deletion={deletion} />;
}

function WebhookPage({ id, deletion }: { readonly id: string; readonly deletion: Deletion }) {
  const webhook = useWebhook(id);
  const activate = useAction('activateWebhook', { done: 'Webhook activated' });
  const { data } = webhook;
  const header = data !== undefined && {
    description: (
      <div className="row">
        <WebhookState webhook={data} />
        <span>
          {data.url} <CopyButton value={data.url} what="the address" />
        </span>
      </div>
    ),
    actions: <WebhookActions webhook={data} activate={activate} deletion={deletion} />,
  };
  return (
    <>
      <PageHeader title={data === undefined ? 'Webhook' : webhookName(data)} back={BACK} {...header} />
      <QueryView query={webhook} label="the webhook">
        {(found) => (
          <div className="sections">
            <FormFailure error={deletion.error} />
            {found.state === 'active' && (activate.response?.backfillId ?? null) !== null && (
              <Notice tone="info" title="Missed events are being sent">
                <Link to={PATHS.bulkReplay(id)}>View progress</Link>
              </Notice>
            )}
            <NextStep webhook={found} />
            <Sections webhook={found} />
          </div>
        )}
      </QueryView>
    </>
  );
}

/** The tabs of the page, each with an address. Only an owner can try a new address. */
function Sections({ webhook }: { readonly webhook: Webhook }) {
  const { id } = webhook;
  const isViewer = useOwner().owner.role === 'viewer';
  const [query, setQuery] = useSearchParams();
  const tabs = {
    overview: ['Overview', <Overview id={id} />],
    deliveries: ['Deliveries', <Deliveries webhookId={id} isAll />],
    settings: ['Settings', <Settings webhook={webhook} />],
    secret: [
      'Secret',
      <>
        <Secret webhook={webhook} />
        <SignatureCheck webhook={webhook} />
      </>,
    ],
    ...(!isViewer && { try: ['Try a new address', <TryAddress webhook={webhook} />] as const }),
  } as const;
  return (
    <Tabs
      label="Webhook sections"
      tabs={tabs}
      value={WEBHOOK_TABS.find((each) => each === query.get('tab') && each in tabs) ?? 'overview'}
      onChange={(tab) => setQuery({ tab }, { preventScrollReset: true })}
    />
  );
}

/** Next required step for a subscription, if any. */
function NextStep({ webhook }: { readonly webhook: Webhook }) {
  const { id, verified, secretShown, pendingSecretVersion } = webhook;
  return (
    <>
      {!secretShown && (
        <Notice tone="warn" title="No one has the secret of this webhook yet.">
          The webhook was created without showing its secret. Create one before you test the webhook.{' '}
          <Link to={PATHS.rotateSecret(id)}>Create a secret</Link>
        </Notice>
      )}
      {secretShown && !verified && (
        <Notice tone="warn" title="Not tested yet, so no events are sent">
          Send a test. If your server accepts it, you can activate the webhook.
        </Notice>
      )}
      <Condition webhook={webhook} />
      {pendingSecretVersion !== null && (
        <Notice tone="info" title={`Version ${pendingSecretVersion} of the secret is pending.`}>
          <Link to={PATHS.rotateSecret(id)}>Finish rotation</Link>
        </Notice>
      )}
    </>
  );
}

const CONDITION_TONES = { failing: 'bad', recovering: 'warn', active: 'warn', paused: 'quiet' } as const;

/** How the webhook does now, if that needs attention, with a button that retries what waits. */
function Condition({ webhook }: { readonly webhook: Webhook }) {
  const text = conditionText(webhook, useNow());
  const { state = 'not_tested', waiting = 0 } = webhook.condition ?? {};
  if (text === undefined || state === 'not_tested') return null;
  return (
    <Notice
      tone={CONDITION_TONES[state]}
      title={text}
      action={waiting > 0 && <RetryWaiting webhook={webhook} />}
    >
      {waiting > 0 && (
        <>
          {'Retried automatically. Next attempt: '}
          <NextAttempt of={webhook} perSecond={webhook.deliveriesPerSecond} />
        </>
      )}
    </Notice>
  );
}

/** The newest deliveries to a webhook: the first few, or all by pages. */
function Deliveries({ webhookId, isAll = false }: { readonly webhookId: string; readonly isAll?: boolean }) {
  const input = { params: { id: webhookId }, query: { limit: isAll ? 50 : 7 } };
  const list = useOperationList('listDeliveries', input, ({ deliveries }) => deliveries);
  const [title, to, more] = isAll
    ? ['Deliveries', PATHS.deliveries({ webhook: webhookId }), 'Filter and search']
    : ['Latest deliveries', PATHS.webhook(webhookId, 'deliveries'), 'All deliveries'];
  return (
    <Panel title={title} actions={<Link to={to}>{more}</Link>}>
      <QueryView query={list} label="the deliveries">
        {(rows) =>
          rows.length === 0 ? <p className="dim">No deliveries yet</p> : <DeliveryTable rows={rows} />
        }
      </QueryView>
      {isAll && list.hasMore && <LoadMore shown={list.data?.length ?? 0} what="deliveries" list={list} />}
    </Panel>
  );
}

/** Attempts to one subscription over time, and its latest deliveries, which appear only below the charts. */
function Overview({ id }: { readonly id: string }) {
  const { since } = useSpan();
  const statistics = useOperation(
    'getWebhookStatistics',
    { params: { id }, query: since },
    { keepsPrevious: true, isSum: true },
  );
  return (
    <>
      <Panel title="Traffic" actions={<SpanMenu />}>
        <QueryView query={statistics} label="the statistics">
          {(data) => <Traffic data={data} note=" Tests are not counted." />}
        </QueryView>
      </Panel>
      <div hidden={statistics.isLoading}>
        <Deliveries webhookId={id} />
      </div>
    </>
  );
}

/** Versions of the secret, and a link to the rotation. */
function Secret({ webhook }: { readonly webhook: Webhook }) {
  const { id, secretVersion, secretShown, pendingSecretVersion } = webhook;
  const next = pendingSecretVersion === null ? 'Rotate secret' : 'Continue rotation';
  return (
    <Panel
      title="Signing secret"
      actions={
        <LinkButton to={PATHS.rotateSecret(id)} variant="default" size="xs">
          {secretShown ? next : 'Create a secret'}
        </LinkButton>
      }
    >
      <p>Your server verifies deliveries with it. Rotate it once a year, or if it is lost or compromised.</p>
      <Facts
        facts={{
          'Active secret': `Version ${secretVersion}${secretShown ? '' : ', never shown'}`,
          'Pending secret': pendingSecretVersion === null ? 'None' : `Version ${pendingSecretVersion}`,
        }}
      />
    </Panel>
  );
}

/** Checks that the server verifies signatures. */
function SignatureCheck({ webhook: { id, secretVersion } }: { readonly webhook: Webhook }) {
  return (
    <Panel title="Signature check">
      <SignatureSteps tests={useSignatureProof(id, secretVersion)} version={secretVersion} isNext={false} />
    </Panel>
  );
}
