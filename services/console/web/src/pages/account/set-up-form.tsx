import { Button, Code, Group, Stack, Text } from '@mantine/core';
import type { Output } from '../../api/operations.js';
import { useAction } from '../../api/use-action.js';
import { CodeForm } from '../../parts/code-form.js';
import { CopyButton } from '../../parts/copy-button.js';
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
        isRunning={enabling.isRunning}
        error={enabling.error}
        cancel={
          <Button variant="default" onClick={props.onCancel}>
            Cancel
          </Button>
        }
        onSubmit={(code) => enabling.run({ body: { code } })}
      />
    </Stack>
  );
}
