import { Group, Stack } from '@mantine/core';
import type { Webhook } from '../../api/operations.js';
import { LinkButton } from '../../parts/link-button.js';
import { Panel } from '../../parts/panel.js';
import { PATHS } from '../../paths.js';
import classes from './webhook.module.css';

/** Versions of the secret, and a link to the rotation. */
export function SecretPanel({ webhook }: { readonly webhook: Webhook }) {
  const { id, secretVersion, secretShown, pendingSecretVersion } = webhook;
  return (
    <Panel title="Signing secret">
      <Stack gap="sm">
        <span>
          Your server verifies deliveries with it. Rotate it once a year, or if it is lost or compromised.
        </span>
        <dl className={classes['facts']}>
          <dt>Active secret</dt>
          <dd>{`Version ${secretVersion}${secretShown ? '' : ', never shown'}`}</dd>
          <dt>Pending secret</dt>
          <dd>{pendingSecretVersion === null ? 'None' : `Version ${pendingSecretVersion}`}</dd>
        </dl>
        <Group>
          <LinkButton to={PATHS.rotateSecret(id)} variant="default">
            {!secretShown
              ? 'Create a secret'
              : pendingSecretVersion === null
                ? 'Rotate secret'
                : 'Continue rotation'}
          </LinkButton>
        </Group>
      </Stack>
    </Panel>
  );
}
