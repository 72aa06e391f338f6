import { Button, Stack } from '@mantine/core';
import { PASSWORD_LENGTH } from '@partner/proto-contracts/resources/password/password';
import { type SubmitEvent, useState } from 'react';
import { violationsByField } from '../../api/api-error.js';
import { useAction } from '../../api/use-action.js';
import { useLinkToken } from '../../link-secrets.js';
import { FormFailure } from '../../parts/form-failure.js';
import { LinkButton } from '../../parts/link-button.js';
import { Notice } from '../../parts/notice.js';
import { OutsidePage } from '../../parts/outside-page.js';
import { PageHeader } from '../../parts/page-header.js';
import { Panel } from '../../parts/panel.js';
import { PasswordField } from '../../parts/password-field.js';
import { PATHS } from '../../paths.js';

/** Page of the mailed link that sets a password. */
export function Page() {
  const token = useLinkToken();
  const [newPassword, setNewPassword] = useState('');
  const use = useAction('usePasswordLink');
  const violation = violationsByField(use.error)['newPassword'];
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    use.run({ body: { token, newPassword } });
  };
  return (
    <OutsidePage>
      <PageHeader title="Set your password" description="For the partner console." />
      <Panel p="lg">
        {use.isDone ? (
          <Stack>
            <Notice tone="good" title="Password set" isAlert>
              All sessions of your account have ended.
            </Notice>
            <LinkButton to={PATHS.signIn}>Sign in</LinkButton>
          </Stack>
        ) : (
          <form onSubmit={submit}>
            <Stack>
              <PasswordField
                label="New password"
                description={`At least ${PASSWORD_LENGTH.min} characters`}
                autoComplete="new-password"
                value={newPassword}
                onChange={setNewPassword}
                violation={violation}
              />
              {violation === undefined && <FormFailure error={use.error} />}
              <Button type="submit" loading={use.isRunning} fullWidth>
                Set password
              </Button>
            </Stack>
          </form>
        )}
      </Panel>
    </OutsidePage>
  );
}
