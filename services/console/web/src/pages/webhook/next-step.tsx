import { Group, Stack } from '@mantine/core';
import { healthOf } from '@partner/proto-contracts/resources/subscription/health-of';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import type { Webhook } from '../../api/hooks.js';
import { isFailing } from '../../webhook-facts.js';
import { NextAttemptOfWebhook } from '../../parts/data.js';
import { Notice, OwnerOnly, TextLink } from '../../parts/page.js';
import { PATHS } from '../../paths.js';

/** Next required step for a subscription, if any. */
export function NextStep({ webhook }: { readonly webhook: Webhook }) {
  const { id, state, verified, secretShown, pendingSecretVersion } = webhook;
  return (
    <>
      {!secretShown && (
        <Notice tone="warn" title="No one has the secret of this webhook yet.">
          It was created without showing its secret. Create one before you test the webhook.{' '}
          <TextLink to={PATHS.rotateSecret(id)} size="sm">
            Create a secret
          </TextLink>
        </Notice>
      )}
      {secretShown && state === 'paused' && !verified && (
        <Notice tone="warn" title="This URL is not tested yet, so no events are sent.">
          After a 2xx response to a test delivery you can activate the webhook.{' '}
          <TextLink to={PATHS.webhook(id, 'settings')} size="sm">
            Send a test
          </TextLink>
        </Notice>
      )}
      {isFailing(webhook) ? (
        <Failing webhook={webhook} />
      ) : (
        healthOf(webhook) === 'degraded' && (
          <Notice tone="bad" title="Recent deliveries fail.">
            <Group gap="md">
              <TextLink to={PATHS.deliveries({ webhook: id, status: 'dead_lettered' })} size="sm">
                See failures
              </TextLink>
              <TextLink to={PATHS.bulkReplay(id)} size="sm">
                Replay them
              </TextLink>
            </Group>
          </Notice>
        )
      )}
      {pendingSecretVersion !== null && (
        <Notice tone="info" title={`Version ${pendingSecretVersion} of the secret is pending.`}>
          <TextLink to={PATHS.rotateSecret(id)} size="sm">
            Finish rotation
          </TextLink>
        </Notice>
      )}
    </>
  );
}

/** What a failing endpoint means for its deliveries, and when the next attempt comes. */
function Failing({ webhook }: { readonly webhook: Webhook }) {
  const { id } = webhook;
  return (
    <Notice
      tone="bad"
      title={`This endpoint is failing: at least ${WEBHOOK_LIMITS.failingAfter} attempts in a row failed`}
    >
      <Stack gap="xs">
        <span>
          Deliveries keep their retry schedule. If many endpoints fail at once, their attempts can start late,
          because failing endpoints together have at most half of the slots. One delivered attempt ends this.
        </span>
        <NextAttemptOfWebhook webhook={webhook} />
        <Group gap="md">
          <TextLink to={PATHS.deliveries({ webhook: id, status: 'retry_scheduled' })} size="sm">
            See waiting deliveries
          </TextLink>
          <TextLink to={PATHS.deliveries({ webhook: id, status: 'dead_lettered' })} size="sm">
            See dead-lettered deliveries
          </TextLink>
          <OwnerOnly>
            <TextLink to={PATHS.bulkReplay(id, 'retry_scheduled')} size="sm">
              Retry all waiting
            </TextLink>
          </OwnerOnly>
        </Group>
      </Stack>
    </Notice>
  );
}
