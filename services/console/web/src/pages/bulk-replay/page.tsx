import { Group, Progress, Stack, Text } from '@mantine/core';
import { useParams } from 'react-router';
import { IconRefresh } from '@tabler/icons-react';
import { type Output, useAction, useOperationList, useWebhook } from '../../api/hooks.js';
import {
  EmptyPanel,
  Hint,
  LoadMore,
  PageHeader,
  Panel,
  QueryView,
  Small,
  TextLink,
} from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { webhookName } from '../../webhook-facts.js';
import { ReplayForm } from './replay-form.js';
import { formatCount } from '../../format.js';
import { StateDot, DataTable, DELIVERY_LOOKS, ExactTime, PastTime } from '../../parts/data.js';
import { ConfirmedButton } from '../../parts/form.js';
import { verbOf } from './replay-request.js';

/** Page for bulk replays of a webhook. */
export function Page() {
  const { id = '' } = useParams();
  const webhook = useWebhook(id);
  return (
    <>
      <PageHeader
        title="Bulk replay and retry"
        description={
          webhook.data === undefined
            ? undefined
            : `Send events to ${webhookName(webhook.data)} again, or retry waiting deliveries now, for example after an outage of your server.`
        }
        back={{ to: PATHS.deliveries({ webhook: id }), label: 'Deliveries' }}
      />
      <QueryView query={webhook} label="the webhook">
        {(data) => (
          <Stack gap="lg">
            <ReplayForm webhook={data} />
            <ReplayList webhookId={data.id} />
          </Stack>
        )}
      </QueryView>
    </>
  );
}

type Replay = Output<'listReplays'>['replays'][number];

/** The running replay with its progress, and the past ones. */
function ReplayList({ webhookId }: { readonly webhookId: string }) {
  const list = useOperationList(
    'listReplays',
    { params: { id: webhookId }, query: { limit: 20 } },
    (page) => page.replays,
  );
  return (
    <QueryView query={list} label="bulk replays">
      {(replays) => {
        const past = replays.filter(({ state }) => state !== 'running');
        return (
          <>
            {replays
              .filter(({ state }) => state === 'running')
              .map((replay) => (
                <Running key={replay.id} replay={replay} />
              ))}
            <section aria-labelledby="past-replays">
              <Text component="h2" id="past-replays" fz="h2" fw={650} mt={0} mb="sm">
                Past replays
              </Text>
              {past.length === 0 ? (
                <EmptyPanel title="None yet" icon={<IconRefresh size={28} />}>
                  Bulk replays and the replays after a pause appear here.
                </EmptyPanel>
              ) : (
                <PastReplays replays={past} />
              )}
              {list.hasMore && <LoadMore shown={replays.length} what="replays" list={list} />}
            </section>
          </>
        );
      }}
    </QueryView>
  );
}

function PastReplays({ replays }: { readonly replays: readonly Replay[] }) {
  return (
    <DataTable
      caption="Past bulk replays, newest first"
      rows={replays}
      rowKey={({ id }) => id}
      columns={{
        Started: (replay) => (
          <div>
            <ExactTime at={replay.createdAt} />
            <Hint>{whatText(replay)}</Hint>
          </div>
        ),
        State: ({ state }) => <StateDot {...STATES[state]} />,
        Deliveries: (replay) => (replay.state === 'done' ? resultText(replay) : progressText(replay)),
        'Per minute': ({ perMinute }) => formatCount(perMinute),
        Ended: ({ finishedAt }) => (finishedAt === null ? '–' : <PastTime at={finishedAt} />),
      }}
      numbers={['Deliveries', 'Per minute']}
    />
  );
}

function Running({ replay }: { readonly replay: Replay }) {
  const cancel = useAction('cancelReplay', { done: 'Bulk replay stopped' });
  const percent = replay.total === 0 ? 0 : Math.min((replay.queued / replay.total) * 100, 100);
  return (
    <Panel
      title={
        replay.kind === 'backfill' ? 'Replaying missed events' : `${verbOf(replay.states ?? [])} in progress`
      }
      actions={
        <ConfirmedButton
          label="Stop replay"
          button={{ size: 'xs' }}
          title="Stop replay?"
          confirmLabel="Stop replay"
          isDangerous
          cancelLabel="Keep running"
          action={cancel}
          given={{ params: { id: replay.id } }}
        >
          <Text size="sm">
            No more deliveries are queued. Queued ones are still sent. You can start another replay for the
            rest.
          </Text>
        </ConfirmedButton>
      }
    >
      <Stack gap="xs">
        <Text size="sm">{whatText(replay)}</Text>
        <Progress.Root size="lg">
          <Progress.Section value={percent} aria-label="Deliveries queued" />
        </Progress.Root>
        <Group justify="space-between" gap="xs">
          <Text
            size="sm"
            style={{ fontVariantNumeric: 'tabular-nums' }}
          >{`${progressText(replay)} queued`}</Text>
          <Small c="dimmed">
            {`${formatCount(replay.perMinute)} a minute · started `}
            <ExactTime at={replay.createdAt} />
          </Small>
        </Group>
        <Text size="sm">
          <TextLink to={PATHS.deliveries({ webhook: replay.subscriptionId, from: replay.createdAt })}>
            See deliveries
          </TextLink>
        </Text>
      </Stack>
    </Panel>
  );
}

const STATES = {
  running: { tone: 'info', label: 'In progress' },
  done: { tone: 'good', label: 'Done' },
  cancelled: { tone: 'quiet', label: 'Canceled' },
} as const;

function progressText({ queued, total, atLeast }: Replay): string {
  return `${formatCount(queued)} of ${formatCount(total)}${atLeast ? ' or more' : ''}`;
}

function resultText({ kind, states, queued, total }: Replay): string {
  const isRetry = kind === 'replay' && verbOf(states ?? []) === 'Retry';
  const left = total - queued;
  const rest = isRetry ? 'no longer waiting' : 'skipped';
  return `${formatCount(queued)} ${isRetry ? 'retried' : 'sent'}${left > 0 ? `, ${formatCount(left)} ${rest}` : ''}`;
}

function whatText({ kind, states, event, from, to }: Replay) {
  const selected = (states ?? []).map((state) => DELIVERY_LOOKS[state].label).join(' and ');
  const name = { replay: selected, backfill: 'Missed events', events: 'Events requested by API' }[kind];
  const which = `${name}${event === null ? '' : `, ${event}`}`;
  return (
    <>
      {`${which}, from `}
      <ExactTime at={from} /> to <ExactTime at={to} />
    </>
  );
}
