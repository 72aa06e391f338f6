import { Group, Stack } from '@mantine/core';
import type { Webhook } from '../../api/webhooks.js';
import { LinkButton } from '../../parts/link-button.js';
import { Panel } from '../../parts/panel.js';
import { PATHS } from '../../paths.js';
import classes from './webhook.module.css';

/** The versions of the secret, and the way to a new one. */
export function SecretPanel({ webhook }: { readonly webhook: Webhook }) {
  const { id, secretVersion, pendingSecretVersion } = webhook;
  return (
    <Panel title="Signing secret">
      <Stack gap="sm">
        <span>
          Your server checks with it that a delivery is genuine. Make a new one when somebody may have seen
          it, when it is lost, or once a year.
        </span>
        <dl className={classes['facts']}>
          <dt>Signs now</dt>
          <dd>{`Version ${secretVersion}`}</dd>
          <dt>Waits to be activated</dt>
          <dd>{pendingSecretVersion === null ? 'None' : `Version ${pendingSecretVersion}`}</dd>
        </dl>
        <Group>
          <LinkButton to={PATHS.rotateSecret(id)} variant="default">
            {pendingSecretVersion === null ? 'Replace the secret' : 'Go on replacing the secret'}
          </LinkButton>
        </Group>
      </Stack>
    </Panel>
  );
}
