import { Stack, Text } from '@mantine/core';
import type { Webhook } from '../../api/operations.js';
import { CodeBlock } from '../../parts/code.js';
import { Panel } from '../../parts/page.js';
import { conformanceCommand } from './conformance-command.js';
import { SignatureSteps } from './signature-steps.js';
import { useSignatureProof } from './use-signature-proof.js';

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
