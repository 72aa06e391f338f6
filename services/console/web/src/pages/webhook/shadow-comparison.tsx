import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Shadow, useStopShadow } from '../../api/shadow.js';
import { useUpdateWebhook, type Webhook } from '../../api/webhooks.js';
import { formatDuration } from '../../format.js';
import { ActionButton } from '../../parts/action-button.js';
import { OutcomeBadge, outcomeLabel } from '../../parts/badges.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Notice } from '../../parts/notice.js';
import { DueTime, PastTime } from '../../parts/relative-time.js';
import { TextLink } from '../../parts/text-link.js';
import { PATHS } from '../../paths.js';
import { hasOtherHost } from './header-values.js';
import { summarizeShadow } from './shadow-summary.js';

type Difference = Shadow['differences'][number];

/** State of a shadow, how it compares with the current URL, and what an owner can do with it. */
export function ShadowComparison(props: { readonly webhook: Webhook; readonly shadow: Shadow }) {
  const { webhook, shadow } = props;
  const isSwitched = webhook.url === shadow.url;
  return (
    <Stack gap="md">
      <ShadowState shadow={shadow} isSwitched={isSwitched} />
      {(shadow.outcomes.length > 0 || shadow.skipped > 0 || shadow.state === 'running') && (
        <Comparison shadow={shadow} />
      )}
      {shadow.differences.length > 0 && (
        <DataTable
          caption="Deliveries with different outcomes"
          columns={DIFFERENCES}
          rows={shadow.differences}
          rowKey={({ deliveryId, at }) => `${deliveryId} ${at}`}
        />
      )}
      {(shadow.state === 'running' || shadow.state === 'testing') && (
        <ShadowActions webhook={webhook} shadow={shadow} />
      )}
    </Stack>
  );
}

function ShadowState({ shadow, isSwitched }: { readonly shadow: Shadow; readonly isSwitched: boolean }) {
  const { state, test, url, percent, endsAt } = shadow;
  switch (state) {
    case 'testing':
      return (
        <Notice tone="info" title="A test was sent">
          Deliveries are mirrored to {url} once it responds with 2xx.
        </Notice>
      );
    case 'running':
      return (
        <Notice
          tone="info"
          title={percent === 100 ? 'Mirroring all deliveries' : `Mirroring ${percent}% of deliveries`}
        >
          To {url}. It ends <DueTime at={endsAt} />.
        </Notice>
      );
    case 'refused':
      return (
        <Notice tone="bad" title="The test was not accepted">
          {test === null
            ? 'No result arrived.'
            : `${outcomeLabel(test.outcome)}: ${test.error ?? 'no details'}.`}{' '}
          Nothing was mirrored to {url}. Fix it and start again.
        </Notice>
      );
    case 'ended':
      return (
        <Notice tone="quiet" title={isSwitched ? 'Switched to this address' : 'Mirroring has ended'}>
          To {url}, <PastTime at={endsAt} />.
        </Notice>
      );
  }
}

function Comparison({ shadow }: { readonly shadow: Shadow }) {
  const summary = summarizeShadow(shadow);
  const rows = [
    { name: 'Current address', ...summary.live, ...shadow.live },
    { name: 'New address', ...summary.shadow, ...shadow.shadow },
  ];
  return (
    <Stack gap="xs">
      <Text size="sm">{summary.text}</Text>
      <DataTable
        caption="Comparison of both addresses"
        columns={SIDES}
        rows={rows}
        rowKey={({ name }) => name}
      />
    </Stack>
  );
}

interface Side {
  readonly name: string;
  readonly share: string | undefined;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

const durationOf = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));

const SIDES: readonly Column<Side>[] = [
  { header: 'Address', isName: true, cell: ({ name }) => name },
  { header: 'Accepted', isNumber: true, cell: ({ share }) => share ?? '–' },
  { header: 'Median (p50)', isNumber: true, cell: ({ p50Ms }) => durationOf(p50Ms) },
  { header: 'p95', isNumber: true, cell: ({ p95Ms }) => durationOf(p95Ms) },
];

const DIFFERENCES: readonly Column<Difference>[] = [
  {
    header: 'Event',
    isName: true,
    cell: ({ event, deliveryId }) => <TextLink to={PATHS.delivery(deliveryId)}>{event}</TextLink>,
  },
  { header: 'Sent', cell: ({ at }) => <PastTime at={at} /> },
  { header: 'Current address', cell: ({ live }) => <Result result={live} /> },
  { header: 'New address', cell: ({ shadow }) => <Result result={shadow} /> },
];

function Result({ result }: { readonly result: Difference['live'] }) {
  const { outcome, status, durationMs, error } = result;
  return (
    <Stack gap={2} align="flex-start">
      <OutcomeBadge outcome={outcome} />
      <Text size="sm" c="dimmed">
        {[error ?? status, formatDuration(durationMs)].filter((part) => part !== null).join(', ')}
      </Text>
    </Stack>
  );
}

function ShadowActions({ webhook, shadow }: { readonly webhook: Webhook; readonly shadow: Shadow }) {
  const update = useUpdateWebhook(webhook.id);
  const stop = useStopShadow(webhook.id);
  const [isAsking, setAsking] = useState(false);
  const tried = shadow.headerNames ?? (hasOtherHost(webhook.url, shadow.url) ? [] : webhook.headerNames);
  const removed = webhook.headerNames.filter((name) => !tried.includes(name));
  return (
    <Stack gap="sm">
      <FormFailure error={stop.error} />
      <Group gap="sm">
        {shadow.state === 'running' && (
          <ActionButton onClick={() => setAsking(true)}>Switch to this address</ActionButton>
        )}
        <ActionButton variant="default" disabled={stop.isRunning} onClick={() => stop.run(undefined)}>
          Stop mirroring
        </ActionButton>
      </Group>
      <ConfirmDialog
        isOpen={isAsking}
        title="Switch to this address?"
        confirmLabel="Switch"
        isRunning={update.isRunning}
        error={update.error}
        onConfirm={() => update.run({ url: shadow.url }, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        <Text>
          All deliveries go to {shadow.url}, without the header x-svc-shadow. Your server must act on them
          from then on. Mirroring ends. If it has ended already, the webhook is paused until a test succeeds.
        </Text>
        {tried.length > 0 && <Text>They have the custom headers of the copies: {tried.join(', ')}.</Text>}
        {removed.length > 0 && (
          <Text>
            The copies did not have these custom headers, so they are removed: {removed.join(', ')}.
          </Text>
        )}
      </ConfirmDialog>
    </Stack>
  );
}
