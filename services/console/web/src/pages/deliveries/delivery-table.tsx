import { Text } from '@mantine/core';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { Delivery } from '../../api/deliveries.js';
import { DeliveryStateBadge } from '../../parts/badges.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { NextAttempt } from '../../parts/next-attempt.js';
import { PastTime } from '../../parts/relative-time.js';
import { TextLink } from '../../parts/text-link.js';
import { PATHS } from '../../paths.js';
import classes from './deliveries.module.css';
import { STATE_TEXTS } from './state-texts.js';

const COLUMNS: readonly Column<Delivery>[] = [
  {
    header: 'Event',
    isName: true,
    cell: ({ id, event, resource, replayOf }) => (
      <div>
        <TextLink to={PATHS.delivery(id)} fw={600}>
          {event}
        </TextLink>
        <Text size="xs" c="dimmed">
          {`${resource.id}${replayOf === null ? '' : ' · replay'}`}
        </Text>
      </div>
    ),
  },
  {
    header: 'State',
    cell: ({ state }) => (
      <span className={classes['state']}>
        <DeliveryStateBadge state={state} />
        <Text component="span" size="xs" c="dimmed">
          {STATE_TEXTS[state]}
        </Text>
      </span>
    ),
  },
  {
    header: 'Attempts',
    isNumber: true,
    cell: ({ attempts }) => `${attempts} of ${LIMITS.webhookAttempts}`,
  },
  { header: 'Created', cell: ({ createdAt }) => <PastTime at={createdAt} /> },
  {
    header: 'Next attempt',
    cell: (delivery) => <NextAttempt delivery={delivery} />,
  },
];

/** A list of deliveries. */
export function DeliveryTable({ rows }: { readonly rows: readonly Delivery[] }) {
  return (
    <DataTable caption="Deliveries, newest first" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} />
  );
}
