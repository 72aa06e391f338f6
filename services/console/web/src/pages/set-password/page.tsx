import { Stack } from '@mantine/core';
import { PASSWORD_LENGTH } from '@partner/proto-contracts/resources/password/password';
import { useAction } from '../../api/hooks.js';
import { useLinkToken } from '../../link-secrets.js';
import { Form, PasswordField, useFields } from '../../parts/form.js';
import { LinkButton, Notice } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { OutsidePanel } from '../../parts/outside.js';

/** Page of the mailed link that sets a password. */
export function Page() {
  const token = useLinkToken();
  const use = useAction('usePasswordLink');
  const { values, violations, field } = useFields({ newPassword: '' }, use.error);
  return (
    <OutsidePanel title="Set your password">
      {use.isDone ? (
        <Stack>
          <Notice tone="good" title="Password set" isAlert>
            All sessions of your account have ended.
          </Notice>
          <LinkButton to={PATHS.signIn}>Sign in</LinkButton>
        </Stack>
      ) : (
        <Form
          action={use}
          submitLabel="Set password"
          button={{ fullWidth: true }}
          isExplained={violations['newPassword'] !== undefined}
          onSubmit={() => use.run({ body: { token, ...values } })}
        >
          <PasswordField
            label="New password"
            description={`At least ${PASSWORD_LENGTH.min} characters`}
            autoComplete="new-password"
            {...field('newPassword')}
          />
        </Form>
      )}
    </OutsidePanel>
  );
}
