import { Button, Group, Stack } from '@mantine/core';
import { PASSWORD_LENGTH } from '@partner/proto-contracts/resources/password/password';
import { type SubmitEvent, useState } from 'react';
import { violationsByField } from '../../api/api-error.js';
import { useNewSession } from '../../api/session.js';
import { useAction } from '../../api/use-action.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Panel } from '../../parts/panel.js';
import { PasswordField } from '../../parts/password-field.js';

/** The form that changes the password. */
export function PasswordPanel() {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const continueWith = useNewSession();
  const change = useAction('changePassword', {
    done: 'Password changed',
    onDone: (session) => {
      continueWith(session);
      setCurrent('');
      setNew('');
    },
  });
  const violation = violationsByField(change.error)['newPassword'];
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.run({ body: { currentPassword, newPassword } });
  };
  return (
    <Panel title="Change password">
      <form onSubmit={submit}>
        <Stack maw={440}>
          <PasswordField
            label="Current password"
            autoComplete="current-password"
            value={currentPassword}
            onChange={setCurrent}
          />
          <PasswordField
            label="New password"
            description={`At least ${PASSWORD_LENGTH.min} characters. All your other sessions end.`}
            autoComplete="new-password"
            value={newPassword}
            onChange={setNew}
            violation={violation}
          />
          {violation === undefined && <FormFailure error={change.error} />}
          <Group>
            <Button type="submit" loading={change.isRunning}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
