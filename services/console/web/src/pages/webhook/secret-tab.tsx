import { Group, Stack, Text } from '@mantine/core';
import type { Webhook } from '../../api/hooks.js';
import { LinkButton, Panel } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { Facts } from '../../parts/data.js';
import { CodeBlock } from '../../parts/code.js';
import { conformanceCommand } from '../../shell-command.js';
import { SignatureSteps, useSignatureProof } from './signature-steps.js';

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
          facts={{
            'Active secret': `Version ${secretVersion}${secretShown ? '' : ', never shown'}`,
            'Pending secret': pendingSecretVersion === null ? 'None' : `Version ${pendingSecretVersion}`,
          }}
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

/** Checks of the receiver: two tests from here, and the command line's complete check. */
export function ConformancePanel({ webhook }: { readonly webhook: Webhook }) {
  const { id, secretVersion } = webhook;
  const tests = useSignatureProof(id, secretVersion);
  return (
    <Panel title="Signature check">
      <Stack gap="md">
        <SignatureSteps tests={tests} version={secretVersion} isNext={false} />
        <Text size="sm">
          The command line checks more: changed bodies, missing signatures, old timestamps, repeats, unknown
          fields, large bodies and the response time. Save the secret in the file that the command names.
        </Text>
        <CodeBlock label="Conformance check" code={conformanceCommand(webhook)} copies="command" wraps />
      </Stack>
    </Panel>
  );
}
