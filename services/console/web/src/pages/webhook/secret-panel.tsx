import { Group, Stack } from '@mantine/core';
import type { Webhook } from '../../api/operations.js';
import { LinkButton } from '../../parts/owner.js';
import { Panel } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { Facts } from '../../parts/facts.js';

/** Versions of the secret, and a link to the rotation. */
export function SecretPanel({ webhook }: { readonly webhook: Webhook }) {
  const { id, secretVersion, secretShown, pendingSecretVersion } = webhook;
  return (
    <Panel title="Signing secret">
      <Stack gap="sm">
        <span>
          Your server verifies deliveries with it. Rotate it once a year, or if it is lost or compromised.
        </span>
        <Facts
          facts={[
            ['Active secret', `Version ${secretVersion}${secretShown ? '' : ', never shown'}`],
            ['Pending secret', pendingSecretVersion === null ? 'None' : `Version ${pendingSecretVersion}`],
          ]}
        />
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
