import { Code, Group, Stack, Text } from '@mantine/core';
import type { Output } from '../../api/operations.js';
import { useAction } from '../../api/hooks.js';
import { CodeForm } from '../../parts/form.js';
import { CopyButton } from '../../parts/code.js';
import { QrCode } from '../../parts/qr-code.js';

/** Shows the secret for an authenticator app, and enables it with a code. */
export function SetUpForm(props: {
  readonly secret: Output<'beginSecondFactor'>;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onCancel: () => void;
}) {
  const { secret, uri } = props.secret;
  const enabling = useAction('enableSecondFactor', {
    onDone: ({ recoveryCodes }) => props.onCodes(recoveryCodes),
  });
  return (
    <Stack>
      <Text>Scan this with an authenticator app, then enter the code that the app shows.</Text>
      <QrCode text={uri} label="QR code with the secret for an authenticator app" />
      <div>
        <Text size="sm" fw={600} mb={4}>
          Or type this secret into the app
        </Text>
        <Group gap="xs">
          <Code fz="sm" p="xs" aria-label="Secret" data-secret>
            {secret}
          </Code>
          <CopyButton value={secret} what="secret" />
        </Group>
      </div>
      <CodeForm
        description="The 6 digits that the app shows"
        submitLabel="Enable"
        action={enabling}
        onCancel={props.onCancel}
        onSubmit={(code) => enabling.run({ body: { code } })}
      />
    </Stack>
  );
}
