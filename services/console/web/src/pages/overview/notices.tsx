import { Group, Stack, Text } from '@mantine/core';
import { SERVICE_STATUS_LIMITS } from '@partner/proto-contracts/resources/service-status/service-status';
import { Notice, Panel, TextLink } from '../../parts/page.js';
import type { Attention } from './attention.js';
import classes from './overview.module.css';
import { useServiceStatus } from '../../api/hooks.js';
import { formatDuration } from '../../format.js';
import { ExactTime } from '../../parts/times.js';

/** List of problems with a link for each. `isWhole`: everything was checked. */
export function AttentionList({
  found,
  isWhole,
}: {
  readonly found: readonly Attention[];
  readonly isWhole: boolean;
}) {
  const gap = !isWhole && (
    <Notice tone="warn" title="Not everything could be loaded, so issues may be missing here." />
  );
  if (found.length === 0) return isWhole ? <Notice tone="good" title="No open issues" /> : gap;
  return (
    <Panel title="Needs your attention">
      {gap}
      <Stack component="ul" gap="xs" className={classes['list']}>
        {found.map(({ key, tone, title, text, link }) => (
          <li key={key}>
            <Notice tone={tone} title={title}>
              <Group justify="space-between" gap="xs">
                <Text component="span" size="sm">
                  {text}
                </Text>
                <TextLink to={link.to} size="sm" fw={600}>
                  {link.label}
                </TextLink>
              </Group>
            </Notice>
          </li>
        ))}
      </Stack>
    </Panel>
  );
}

/** Says that the service was restored from a backup, in the days after it. */
export function RestoreNotice() {
  const { data } = useServiceStatus();
  const restoredTo = data?.restoredTo ?? null;
  return (
    restoredTo !== null && (
      <Notice tone="warn" title="The service was restored from a backup">
        {'What was accepted after '}
        <ExactTime at={restoredTo} />
        {
          ' and before the restore is lost. Look for leads, appointments and updates of jobs from then on, and send again what is missing. Changes of keys, people and webhooks are lost too.'
        }
      </Notice>
    )
  );
}

/** Whose problem it is: says what is wrong with the service, or, beside issues of the company, that nothing is. */
export function ServiceNotice({ hasIssues }: { readonly hasIssues: boolean }) {
  const { data, error } = useServiceStatus();
  if (data === undefined) {
    return (
      error !== null && (
        <Notice tone="warn" title="The status of the service is unknown">
          The cause of a problem may be ours.
        </Notice>
      )
    );
  }
  const { status, webhookDelayMs } = data;
  if (status === 'operational') {
    return (
      hasIssues && (
        <Text size="sm" c="dimmed">
          The service works, and webhooks leave on time: the cause of failed deliveries is at their endpoint.
        </Text>
      )
    );
  }
  return (
    <Notice tone="warn" title="The service has a problem">
      {webhookDelayMs > SERVICE_STATUS_LIMITS.delayMs
        ? `Webhooks leave up to ${formatDuration(webhookDelayMs)} late. Nothing is lost.`
        : 'Most webhooks of all companies fail at the moment, so the cause is probably ours. Deliveries are retried.'}
    </Notice>
  );
}
