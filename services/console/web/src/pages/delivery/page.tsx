import { Code, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { useNavigate, useParams } from 'react-router';
import {
  type Attempt,
  type Delivery,
  useAction,
  useDelivery,
  useWebhook,
  type Webhook,
} from '../../api/hooks.js';
import {
  Hint,
  LinkButton,
  Notice,
  OwnerOnly,
  PageHeader,
  Panel,
  QueryView,
  SmallLink,
} from '../../parts/page.js';
import { Advice, StateDot, DELIVERY_LOOKS, ExactTime, Facts, NextAttempt, useNow } from '../../parts/data.js';
import { CodeBlock, CopyButton } from '../../parts/code.js';
import { ConfirmedButton } from '../../parts/form.js';
import { nextAttemptOf, webhookName } from '../../webhook-facts.js';
import { PATHS } from '../../paths.js';
import { AttemptList } from './attempt-list.js';
import { sumUp } from './explain-attempt.js';
import { IconPlayerTrackNext, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { curlScript } from '../../shell-command.js';
import { readText, sentHeaders } from './sent-text.js';

/** Page of one delivery: outcome, reason and advice. */
export function Page() {
  const { id = '' } = useParams();
  const loaded = useDelivery(id);
  const now = useNow();
  const delivery = loaded.data?.delivery;
  const canReplay =
    loaded.data !== undefined && replayBlockedReason(loaded.data.delivery, loaded.data.body) === undefined;
  return (
    <>
      <PageHeader
        title={delivery === undefined ? 'Delivery' : `Delivery of ${delivery.event}`}
        back={{
          to: PATHS.deliveries(delivery === undefined ? {} : { webhook: delivery.subscriptionId }),
          label: 'Deliveries',
        }}
        actions={
          delivery !== undefined && (
            <>
              <LinkButton to={PATHS.whyEvent(delivery.eventId)} variant="default">
                Trace event
              </LinkButton>
              {canRetryNow(delivery, now) && <RetryButton delivery={delivery} />}
              {canReplay && <ReplayButton delivery={delivery} />}
            </>
          )
        }
      />
      <QueryView query={loaded} label="the delivery">
        {(data) => <Details key={data.delivery.id} {...data} />}
      </QueryView>
    </>
  );
}

function Details(props: {
  readonly delivery: Delivery;
  readonly attempts: readonly Attempt[];
  readonly body: string | null;
}) {
  const { delivery, attempts, body } = props;
  const now = useNow();
  const webhook = useWebhook(delivery.subscriptionId).data;
  const { tone, what, advice } = sumUp(delivery, attempts, now, webhook?.deliveriesPerSecond);
  const noReplay = replayBlockedReason(delivery, body);
  return (
    <Stack gap="lg">
      <Notice tone={tone} title={what}>
        {advice.length > 0 && <Advice advice={advice} />}
      </Notice>
      <Panel title="Details">
        <DeliveryFacts delivery={delivery} webhook={webhook} noReplay={noReplay} />
      </Panel>
      <Panel title="Attempts">
        <AttemptList attempts={attempts} />
      </Panel>
      <RequestSent
        delivery={delivery}
        attempt={attempts.at(-1)}
        body={body}
        url={delivery.testUrl === null ? webhook?.url : undefined}
        secretVersion={webhook?.secretVersion}
      />
    </Stack>
  );
}

function DeliveryFacts(props: {
  readonly delivery: Delivery;
  readonly webhook: Webhook | undefined;
  /** Explains why the delivery cannot be replayed. */
  readonly noReplay: string | undefined;
}) {
  const { delivery, webhook, noReplay } = props;
  const next = nextAttemptOf(delivery);
  return (
    <Facts
      facts={{
        State: <StateDot {...DELIVERY_LOOKS[delivery.state]} />,
        Webhook: (
          <SmallLink to={PATHS.webhook(delivery.subscriptionId)}>
            {webhook === undefined ? delivery.subscriptionId : webhookName(webhook)}
          </SmallLink>
        ),
        'Sent to': delivery.testUrl ?? webhook?.url,
        Attempts: `${delivery.attempts} of ${LIMITS.webhookAttempts}`,
        'Next attempt': next && (
          <>
            <NextAttempt of={delivery} perSecond={webhook?.deliveriesPerSecond ?? null} /> (
            <ExactTime at={next} />)
          </>
        ),
        Created: <ExactTime at={delivery.createdAt} />,
        Finished: delivery.finishedAt && <ExactTime at={delivery.finishedAt} />,
        About: (
          <SmallLink to={PATHS.why(delivery.resource.id)}>
            {`${delivery.resource.type.replaceAll('_', ' ')} ${delivery.resource.id}`}
          </SmallLink>
        ),
        'Event ID': (
          <Group gap={4} component="span">
            <Code>{delivery.eventId}</Code>
            <CopyButton value={delivery.eventId} what="event ID" isSmall />
          </Group>
        ),
        'Number at this webhook': delivery.number,
        'Replay of': delivery.replayOf && (
          <SmallLink to={PATHS.delivery(delivery.replayOf)}>{delivery.replayOf}</SmallLink>
        ),
        'Queued by': delivery.bulkReplayId && (
          <SmallLink to={PATHS.bulkReplay(delivery.subscriptionId)}>
            {`Bulk replay ${delivery.bulkReplayId}`}
          </SmallLink>
        ),
        Replay: noReplay,
      }}
    />
  );
}

/** Returns why a delivery cannot be replayed; undefined if it can. */
function replayBlockedReason(delivery: Delivery, body: string | null): string | undefined {
  if (delivery.isTest) return 'Tests cannot be replayed. Send a new one from the webhook.';
  switch (delivery.state) {
    case 'pending':
    case 'retry_scheduled':
    case 'held':
      return 'Still in progress, so it cannot be replayed.';
    case 'cancelled':
      return 'The webhook was deleted, so it cannot be replayed.';
    case 'delivered':
    case 'dead_lettered':
      return body === null ? 'The event is past its retention, so it cannot be replayed.' : undefined;
  }
}

/** Replays the delivery after a confirmation and opens the new delivery. */
function ReplayButton({ delivery }: { readonly delivery: Delivery }) {
  const navigate = useNavigate();
  const replay = useAction('replayDelivery', {
    done: 'Replay queued',
    onDone: ({ id }) => void navigate(PATHS.delivery(id)),
  });
  return (
    <OwnerOnly>
      <ConfirmedButton
        label="Replay"
        button={{ variant: 'filled', leftSection: <IconRefresh size={18} aria-hidden /> }}
        title="Replay this delivery?"
        confirmLabel="Replay now"
        action={replay}
        given={{ params: { id: delivery.id } }}
      >
        <Stack gap="xs">
          <Text size="sm">
            Sends the same event and body to the webhook’s current URL as a new delivery with up to 8
            attempts. This delivery stays unchanged.
          </Text>
          {delivery.state === 'delivered' && (
            <Text size="sm">
              Your server already accepted this event. It receives the event again, with the same event ID.
            </Text>
          )}
        </Stack>
      </ConfirmedButton>
    </OwnerOnly>
  );
}

/** Whether the delivery waits for a retry that is not due yet. */
function canRetryNow(delivery: Delivery, now: Date): boolean {
  const next = nextAttemptOf(delivery);
  return delivery.state === 'retry_scheduled' && next !== null && Date.parse(next) > now.getTime();
}

/** Makes the next scheduled attempt of the delivery now, after a confirmation. */
function RetryButton({ delivery }: { readonly delivery: Delivery }) {
  const retry = useAction('retryDelivery', { done: 'Retry queued' });
  const next = delivery.attempts + 1;
  return (
    <OwnerOnly>
      <ConfirmedButton
        label="Retry now"
        button={{ variant: 'filled', leftSection: <IconPlayerTrackNext size={18} aria-hidden /> }}
        title="Retry this delivery now?"
        confirmLabel={`Make attempt ${next}`}
        action={retry}
        given={{ params: { id: delivery.id } }}
      >
        {`This uses attempt ${next} of ${LIMITS.webhookAttempts}. `}
        {next === LIMITS.webhookAttempts
          ? 'If it fails, the delivery is dead-lettered.'
          : 'If it fails, the next wait is longer.'}
      </ConfirmedButton>
    </OwnerOnly>
  );
}

const NOT_SENT: ReadonlySet<Attempt['outcome']> = new Set(['endpoint_refused', 'tls_failed']);

/** The request of the last attempt, and a script that sends it again. */
function RequestSent(props: {
  readonly delivery: Delivery;
  readonly attempt: Attempt | undefined;
  readonly body: string | null;
  readonly url: string | undefined;
  readonly secretVersion: number | undefined;
}) {
  const { delivery, attempt, body, url, secretVersion } = props;
  const [view, setView] = useState('pretty');
  const read = body === null ? undefined : readText(body);
  const shown = read?.kind === 'json' && view === 'pretty' ? read.pretty : (body ?? '');
  return (
    <>
      <Panel
        title="Request"
        actions={
          read?.kind === 'json' && (
            <SegmentedControl
              aria-label="Body format"
              size="xs"
              value={view}
              onChange={setView}
              data={[
                { value: 'pretty', label: 'Pretty' },
                { value: 'raw', label: 'As sent' },
              ]}
            />
          )
        }
      >
        <Stack gap="md">
          {attempt === undefined ? (
            <Text c="dimmed">Nothing sent yet</Text>
          ) : (
            <Stack gap={6}>
              <CodeBlock
                label={`Headers of attempt ${attempt.number}`}
                code={sentHeaders({ delivery, attempt, body, url })
                  .map(([name, value]) => `${name}: ${value}`)
                  .join('\n')}
                wraps
              />
              <Hint>
                {NOT_SENT.has(attempt.outcome) && 'The attempt failed before the request was sent. '}
                Signatures are not stored, and custom headers of the webhook are not shown. The other headers
                are reconstructed from the attempt.
              </Hint>
            </Stack>
          )}
          {body === null ? (
            <Text c="dimmed">The body is past its retention.</Text>
          ) : (
            <CodeBlock
              label={view === 'pretty' && read?.kind === 'json' ? 'Body, pretty' : 'Body as sent'}
              code={shown}
              wraps
              maxHeight="24rem"
            />
          )}
        </Stack>
      </Panel>
      {body !== null && url !== undefined && (
        <SendItYourself
          delivery={delivery}
          body={body}
          url={url}
          secretVersion={secretVersion ?? attempt?.secretVersion ?? 1}
        />
      )}
    </>
  );
}

function SendItYourself(props: {
  readonly delivery: Delivery;
  readonly body: string;
  readonly url: string;
  readonly secretVersion: number;
}) {
  return (
    <Panel title="Reproduce the request">
      <Stack gap="sm">
        <Text size="sm">
          Repeat the request from a terminal. The script signs it with the webhook’s secret from
          WEBHOOK_SECRET.
        </Text>
        <CodeBlock label="Shell script" code={curlScript(props)} maxHeight="26rem" />
      </Stack>
    </Panel>
  );
}
