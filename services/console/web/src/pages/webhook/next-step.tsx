import { Group } from '@mantine/core';
import type { Webhook } from '../../api/webhooks.js';
import { Notice } from '../../parts/notice.js';
import { TextLink } from '../../parts/text-link.js';
import { PATHS } from '../../paths.js';

/** Next required step for a subscription, if any. */
export function NextStep({ webhook }: { readonly webhook: Webhook }) {
  const { id, state, health, verified, pendingSecretVersion } = webhook;
  return (
    <>
      {state === 'paused' && !verified && (
        <Notice tone="warn" title="This URL is not tested yet, so no events are sent.">
          After a 2xx response to a test delivery you can activate the webhook.{' '}
          <TextLink to={PATHS.webhook(id, 'settings')} size="sm">
            Send a test
          </TextLink>
        </Notice>
      )}
      {state === 'active' && verified && health === 'degraded' && (
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
