import { Group } from '@mantine/core';
import type { Webhook } from '../../api/webhooks.js';
import { Notice } from '../../parts/notice.js';
import { TextLink } from '../../parts/text-link.js';
import { PATHS } from '../../paths.js';

/** What a subscription needs before all is well, if anything. */
export function NextStep({ webhook }: { readonly webhook: Webhook }) {
  const { id, state, health, verified, pendingSecretVersion } = webhook;
  return (
    <>
      {state === 'paused' && !verified && (
        <Notice tone="warn" title="This address is not tested yet, and nothing is sent to it.">
          Send a test delivery. When your server answers it with 2xx, you can activate the webhook.
        </Notice>
      )}
      {health === 'degraded' && (
        <Notice tone="bad" title="Deliveries have failed for good, and none got through since.">
          <Group gap="md">
            <TextLink to={PATHS.deliveries({ webhook: id, status: 'dead_lettered' })} size="sm">
              See why
            </TextLink>
            <TextLink to={PATHS.bulkReplay(id)} size="sm">
              Send them again
            </TextLink>
          </Group>
        </Notice>
      )}
      {pendingSecretVersion !== null && (
        <Notice tone="info" title={`Version ${pendingSecretVersion} of the secret waits to be activated.`}>
          <TextLink to={PATHS.rotateSecret(id)} size="sm">
            Go on with it
          </TextLink>
        </Notice>
      )}
    </>
  );
}
