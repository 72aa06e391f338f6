import { IconCircleCheck } from '@tabler/icons-react';
import { useOperationList, type Webhook } from '../../api/hooks.js';
import { formatCount, formatSince } from '../../format.js';
import { DataTable, DELIVERY_LOOKS, OUTCOME_LOOKS, RowLink, StateDot, useNow } from '../../parts/data.js';
import { EmptyState, LinkButton, QueryView } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { webhookName } from '../../webhook-facts.js';
import { statusText } from '../delivery/explain-attempt.js';
import { type Cause, causesOf } from './causes.js';
import type { ListFilter } from './delivery-filter.js';

/** How many of the newest deliveries are grouped for each state. */
const COUNTED = 100;

/** Returns the newest deliveries in a state; none if another one is wanted. */
function useNewest(status: 'retry_scheduled' | 'dead_lettered', filter: ListFilter) {
  const isWanted = filter.status === undefined || filter.status === status;
  const { from, to, event, search } = filter;
  const query = { from, to, event, search, status, limit: COUNTED };
  const list = useOperationList('listCompanyDeliveries', { query }, ({ deliveries }) => deliveries, isWanted);
  return isWanted ? list : { ...list, data: [], hasMore: false, error: null };
}

/** Names a failure by the status of the response, or by what happened instead. */
export const causeTitle = ({ outcome, responseStatus }: Pick<Cause, 'outcome' | 'responseStatus'>) =>
  responseStatus === null ? OUTCOME_LOOKS[outcome].label : statusText(responseStatus);

/** The preview of a retry of these deliveries; the end of its span is not included. */
const retryOf = ({ webhookId, state, outcome, responseStatus, oldest, newest }: Cause) =>
  PATHS.bulkReplay(webhookId, {
    ...{ status: state, outcome, responseStatus: responseStatus?.toString(), from: oldest },
    to: new Date(Date.parse(newest) + 1).toISOString(),
  });

/** What waits for a retry or was given up, grouped by webhook and cause, with one action for each group. */
export function CauseList(props: {
  readonly webhooks: readonly Webhook[];
  /** Undefined: all webhooks. */
  readonly webhookId: string | undefined;
  readonly filter: ListFilter;
}) {
  const { webhooks, webhookId, filter } = props;
  const now = useNow();
  const waiting = useNewest('retry_scheduled', filter);
  const givenUp = useNewest('dead_lettered', filter);
  const lists = [waiting, givenUp];
  const isLoaded = waiting.data !== undefined && givenUp.data !== undefined;
  const all = lists.flatMap(({ data = [] }) => data);
  const refetch = () => lists.forEach((list) => void list.refetch());
  const query = {
    data: isLoaded
      ? causesOf(all.filter((each) => [undefined, each.subscriptionId].includes(webhookId)))
      : undefined,
    error: waiting.error ?? givenUp.error,
    refetch,
  };
  const since = (at: string) => formatSince(new Date(at), now);
  return (
    <QueryView query={query} label="the causes">
      {(causes) =>
        causes.length === 0 ? (
          <EmptyState title="No failures" icon={<IconCircleCheck size={28} />}>
            No matching delivery is waiting for a retry or was given up.
          </EmptyState>
        ) : (
          <>
            <DataTable
              caption="Failures by cause"
              rows={causes}
              rowKey={({ key }) => key}
              columns={{
                Cause: (cause) => (
                  <div>
                    <StateDot tone={DELIVERY_LOOKS[cause.state].tone} label={causeTitle(cause)} />
                    <small>{cause.text}</small>
                  </div>
                ),
                Webhook: ({ webhookId: id }) => {
                  const webhook = webhooks.find((each) => each.id === id);
                  const name = webhook === undefined ? 'Deleted webhook' : webhookName(webhook);
                  return <RowLink to={PATHS.webhook(id)} name={name} />;
                },
                'First and last': ({ oldest, newest }) => `${since(oldest)} to ${since(newest)}`,
                Deliveries: ({ count, state }) =>
                  `${formatCount(count)} ${DELIVERY_LOOKS[state].label.toLowerCase()}`,
                Action: (cause) => (
                  <LinkButton to={retryOf(cause)} variant="default" size="xs">
                    Retry
                    <span className="visually-hidden">{` what failed with ${causeTitle(cause)}`}</span>
                  </LinkButton>
                ),
              }}
              widths={{ Webhook: '11rem', 'First and last': '10rem', Deliveries: '8rem', Action: '8rem' }}
            />
            {lists.some(({ hasMore }) => hasMore) && (
              <p className="dim small">{`Covers the newest ${COUNTED} waiting deliveries and the newest ${COUNTED} that were given up.`}</p>
            )}
          </>
        )
      }
    </QueryView>
  );
}
