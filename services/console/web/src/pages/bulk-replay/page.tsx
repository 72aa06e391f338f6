import { useParams } from 'react-router';
import { Link } from '../../parts/link.js';
import { type Output, useAction, useOperationList, useWebhook } from '../../api/hooks.js';
import { LoadMore, PageHeader, Panel, QueryView } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { webhookName } from '../../webhook-facts.js';
import { causeTitle } from '../deliveries/cause-list.js';
import { ReplayForm } from './replay-form.js';
import { formatCount } from '../../format.js';
import { StateDot, DataTable, DELIVERY_LOOKS, ExactTime, PastTime } from '../../parts/data.js';
import { ConfirmedButton } from '../../parts/form.js';

/** Page that sends many deliveries of a webhook again. */
export function Page() {
  const { id = '' } = useParams();
  const webhook = useWebhook(id);
  return (
    <>
      <PageHeader
        title="Retry many"
        description={
          webhook.data && `Sends deliveries to ${webhookName(webhook.data)} again, and waiting ones now.`
        }
        back={{ to: PATHS.deliveries({ webhook: id }), label: 'Deliveries' }}
      />
      <QueryView query={webhook} label="the webhook">
        {(data) => (
          <div className="sections">
            <ReplayForm webhook={data} />
            <ReplayList webhookId={data.id} />
          </div>
        )}
      </QueryView>
    </>
  );
}

type Replay = Output<'listReplays'>['replays'][number];

/** Those in progress, and the earlier ones. */
function ReplayList({ webhookId }: { readonly webhookId: string }) {
  const list = useOperationList(
    'listReplays',
    { params: { id: webhookId }, query: { limit: 20 } },
    (page) => page.replays,
  );
  return (
    <QueryView query={list} label="earlier retries">
      {(replays) => {
        const past = replays.filter(({ state }) => state !== 'running');
        return (
          <>
            {replays.map(
              (replay) => replay.state === 'running' && <Running key={replay.id} replay={replay} />,
            )}
            {past.length > 0 && (
              <Panel title="Earlier">
                <DataTable
                  caption="Earlier retries, newest first"
                  rows={past}
                  rowKey={({ id }) => id}
                  columns={{
                    Deliveries: (replay) => (
                      <div>
                        {resultText(replay)}
                        <small>{whatText(replay)}</small>
                      </div>
                    ),
                    State: ({ state }) => <StateDot {...STATES[state]} />,
                    'Per minute': ({ perMinute }) => formatCount(perMinute),
                    Ended: ({ finishedAt }) => (finishedAt === null ? '–' : <PastTime at={finishedAt} />),
                  }}
                  numbers={['Per minute']}
                  widths={{ State: '9rem', 'Per minute': '7rem', Ended: '10rem' }}
                />
                {list.hasMore && <LoadMore shown={replays.length} what="retries" list={list} />}
              </Panel>
            )}
          </>
        );
      }}
    </QueryView>
  );
}

function Running({ replay }: { readonly replay: Replay }) {
  const cancel = useAction('cancelReplay', { done: 'Retry stopped' });
  const percent = replay.total === 0 ? 0 : Math.min((replay.queued / replay.total) * 100, 100);
  return (
    <Panel
      title={replay.kind === 'backfill' ? 'Sending missed events' : 'Retry in progress'}
      actions={
        <ConfirmedButton
          label="Stop"
          button={{ size: 'xs' }}
          title="Stop the retry?"
          confirmLabel="Stop"
          isDangerous
          cancelLabel="Keep running"
          action={cancel}
          given={{ params: { id: replay.id } }}
        >
          No more deliveries are queued. Queued ones are still sent. You can retry the rest later.
        </ConfirmedButton>
      }
    >
      <progress max={100} value={percent} aria-label="Deliveries queued" />
      <p className="small">{`${progressText(replay)} queued, ${formatCount(replay.perMinute)} a minute`}</p>
      <p className="dim small">{whatText(replay)}</p>
      <Link to={PATHS.deliveries({ webhook: replay.subscriptionId, from: replay.createdAt })}>
        See deliveries
      </Link>
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

function resultText(replay: Replay): string {
  const { state, kind, states, queued, total } = replay;
  const left = total - queued;
  if (state !== 'done' || left <= 0) return `${progressText(replay)} sent`;
  const isRetry = kind === 'replay' && String(states) === 'retry_scheduled';
  return `${formatCount(queued)} sent, ${formatCount(left)} ${isRetry ? 'no longer waiting' : 'skipped'}`;
}

function whatText({ kind, states, event, cause, from, to }: Replay) {
  const selected = (states ?? []).map((state) => DELIVERY_LOOKS[state].label).join(' and ');
  const name = { replay: selected, backfill: 'Missed events', events: 'Replayed events' }[kind];
  const which = [name, event, cause && causeTitle(cause)].filter(Boolean).join(', ');
  return (
    <>
      {`${which}, from `}
      <ExactTime at={from} /> to <ExactTime at={to} />
    </>
  );
}
