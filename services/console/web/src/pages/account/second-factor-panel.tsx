import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { SecondFactor } from '@partner/proto-contracts/resources/second-factor/second-factor';
import { useState } from 'react';
import {
  useBeginSecondFactor,
  useDisableSecondFactor,
  useMakeRecoveryCodes,
  useSecondFactor,
} from '../../api/second-factor.js';
import { formatCountOf } from '../../format.js';
import { CodeForm } from '../../parts/code-form.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Notice } from '../../parts/notice.js';
import { Panel } from '../../parts/panel.js';
import { QueryView } from '../../parts/query-view.js';
import { PastTime } from '../../parts/relative-time.js';
import { RecoveryCodesOnce } from './recovery-codes-once.js';
import { SetUpForm } from './set-up-form.js';

/** Two-factor authentication of the owner: set-up, recovery codes and disabling. */
export function SecondFactorPanel() {
  const factor = useSecondFactor();
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <Panel title="Two-factor authentication">
      {codes === undefined ? (
        <QueryView
          data={factor.data}
          error={factor.error}
          label="two-factor authentication"
          onRetry={() => void factor.refetch()}
        >
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
  const begin = useBeginSecondFactor();
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
        <Button loading={begin.isRunning} onClick={() => begin.run(undefined)}>
          Set up
        </Button>
      </Group>
    </Stack>
  );
}

const CODE_HINT = 'The 6 digits of your authenticator app, or a recovery code';

function Enabled({
  factor,
  onCodes,
}: {
  readonly factor: SecondFactor;
  readonly onCodes: (codes: readonly string[]) => void;
}) {
  const [asked, setAsked] = useState<'codes' | 'disable'>();
  const close = () => setAsked(undefined);
  const replacement = useMakeRecoveryCodes('recovery-codes', onCodes);
  const disabling = useDisableSecondFactor(close);
  const { enabledAt, recoveryCodesLeft } = factor;
  const cancel = (
    <Button variant="default" onClick={close}>
      Cancel
    </Button>
  );
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
      <Modal
        opened={asked === 'codes'}
        onClose={close}
        title="Create new recovery codes?"
        centered
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Text size="sm" mb="md">
          The former recovery codes stop working immediately.
        </Text>
        <CodeForm
          description={CODE_HINT}
          submitLabel="Create codes"
          isRunning={replacement.isRunning}
          error={replacement.error}
          cancel={cancel}
          onSubmit={replacement.run}
        />
      </Modal>
      <Modal
        opened={asked === 'disable'}
        onClose={close}
        title="Disable two-factor authentication?"
        centered
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Text size="sm" mb="md">
          Your password alone is then enough to sign in. The recovery codes stop working.
        </Text>
        <CodeForm
          description={CODE_HINT}
          submitLabel="Disable"
          isDangerous
          isRunning={disabling.isRunning}
          error={disabling.error}
          cancel={cancel}
          onSubmit={disabling.run}
        />
      </Modal>
    </Stack>
  );
}
