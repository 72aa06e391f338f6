import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/operations.js';
import { useAction, useOperation } from '../../api/hooks.js';
import { formatCountOf } from '../../format.js';
import { CodeForm, type FormAction, FormFailure } from '../../parts/form.js';
import { Notice, Panel } from '../../parts/page.js';
import { QueryView } from '../../parts/query-view.js';
import { PastTime } from '../../parts/times.js';
import { RecoveryCodesOnce } from './recovery-codes-once.js';
import { SetUpForm } from './set-up-form.js';

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
