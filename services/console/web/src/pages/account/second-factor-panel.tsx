import { Box, Button, Checkbox, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { encode } from 'uqr';
import { type Output, useAction, useOperation } from '../../api/hooks.js';
import { formatCountOf } from '../../format.js';
import { CodeForm, type FormAction, FormFailure } from '../../parts/form.js';
import { Notice, Panel, QueryView } from '../../parts/page.js';
import { PastTime } from '../../parts/data.js';
import { CodeBlock, CopyButton } from '../../parts/code.js';

/** Two-factor authentication of the owner: set-up, recovery codes and disabling. */
export function SecondFactorPanel() {
  const factor = useOperation('getSecondFactor', {});
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <Panel title="Two-factor authentication">
      {codes === undefined ? (
        <QueryView query={factor} label="two-factor authentication">
          {(data) =>
            data.enabled ? <Enabled factor={data} onCodes={setCodes} /> : <Disabled onCodes={setCodes} />
          }
        </QueryView>
      ) : (
        <RecoveryCodesOnce codes={codes} onDone={() => setCodes(undefined)} />
      )}
    </Panel>
  );
}

function Disabled({ onCodes }: { readonly onCodes: (codes: readonly string[]) => void }) {
  const begin = useAction('beginSecondFactor');
  if (begin.response !== undefined) {
    return <SetUpForm secret={begin.response} onCodes={onCodes} onCancel={begin.reset} />;
  }
  return (
    <Stack>
      <Text>
        A code of an authenticator app on your phone protects your account even if someone has your password.
        Your other sessions end when you enable it.
      </Text>
      <FormFailure error={begin.error} />
      <Group>
        <Button loading={begin.isRunning} onClick={() => begin.run({})}>
          Set up
        </Button>
      </Group>
    </Stack>
  );
}

function Enabled({
  factor,
  onCodes,
}: {
  readonly factor: Output<'getSecondFactor'>;
  readonly onCodes: (codes: readonly string[]) => void;
}) {
  const [asked, setAsked] = useState<'codes' | 'disable'>();
  const close = () => setAsked(undefined);
  const replacement = useAction('replaceRecoveryCodes', {
    onDone: ({ recoveryCodes }) => onCodes(recoveryCodes),
  });
  const disabling = useAction('disableSecondFactor', {
    done: 'Two-factor authentication disabled',
    onDone: close,
  });
  const { enabledAt, recoveryCodesLeft } = factor;
  return (
    <Stack>
      <Notice tone={recoveryCodesLeft < 3 ? 'warn' : 'good'} title="Enabled">
        {enabledAt !== null && (
          <>
            Since <PastTime at={enabledAt} />.{' '}
          </>
        )}
        {`${formatCountOf(recoveryCodesLeft, 'unused recovery code', 'unused recovery codes')}.`}
      </Notice>
      <Group>
        <Button variant="default" onClick={() => setAsked('codes')}>
          Create new recovery codes
        </Button>
        <Button variant="default" onClick={() => setAsked('disable')}>
          Disable
        </Button>
      </Group>
      <CodeDialog
        isOpen={asked === 'codes'}
        title="Create new recovery codes?"
        consequence="The former recovery codes stop working immediately."
        submitLabel="Create codes"
        action={replacement}
        onClose={close}
      />
      <CodeDialog
        isOpen={asked === 'disable'}
        title="Disable two-factor authentication?"
        consequence="Your password alone is then enough to sign in. The recovery codes stop working."
        submitLabel="Disable"
        isDangerous
        action={disabling}
        onClose={close}
      />
    </Stack>
  );
}

/** Asks for a code before an action. */
function CodeDialog(props: {
  readonly isOpen: boolean;
  readonly title: string;
  readonly consequence: string;
  readonly submitLabel: string;
  readonly isDangerous?: boolean;
  readonly action: FormAction & {
    readonly run: (input: { readonly body: { readonly code: string } }) => void;
  };
  readonly onClose: () => void;
}) {
  const { action, onClose } = props;
  return (
    <Modal opened={props.isOpen} onClose={onClose} title={props.title}>
      <Text size="sm" mb="md">
        {props.consequence}
      </Text>
      <CodeForm
        action={action}
        submitLabel={props.submitLabel}
        button={props.isDangerous === true ? { color: 'red.9' } : {}}
        onCancel={onClose}
        onSubmit={(code) => action.run({ body: { code } })}
      />
    </Modal>
  );
}

/** Shows new recovery codes once. The owner continues after storing them. */
function RecoveryCodesOnce(props: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  const [isStored, setStored] = useState(false);
  return (
    <Stack>
      <Notice tone="warn" title="These recovery codes are shown once" isAlert>
        If you lose your phone, each of them replaces the code of the app once. Store them where you can reach
        them without it.
      </Notice>
      <CodeBlock label="Recovery codes" code={props.codes.join('\n')} />
      <Checkbox
        label="I have stored them"
        checked={isStored}
        onChange={({ currentTarget }) => setStored(currentTarget.checked)}
      />
      <Group>
        <Button disabled={!isStored} onClick={props.onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

/** Shows the secret for an authenticator app, and enables it with a code. */
function SetUpForm(props: {
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

/** Blank modules around the code, which readers need. */
const QUIET_ZONE = 4;

/** A QR code, dark on white in both color schemes, because some readers need that. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: QUIET_ZONE });
  const modules = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x},${y}h1v1h-1z`] : [])),
  );
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      w={208}
      h={208}
      // Else there are fine lines between the modules.
      shapeRendering="crispEdges"
      data-secret
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={modules.join('')} fill="#000" />
    </Box>
  );
}
