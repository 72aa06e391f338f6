import { PASSWORD_LENGTH } from '@partner/proto-contracts/resources/password/password';
import { useAction } from '../../api/hooks.js';
import { useNewSession } from '../../api/session.js';
import { Form, PasswordField, useFields } from '../../parts/form.js';
import { Panel } from '../../parts/page.js';

/** The form that changes the password. */
export function PasswordPanel() {
  const continueWith = useNewSession();
  const change = useAction('changePassword', {
    done: 'Password changed',
    onDone: (session) => {
      continueWith(session);
      clear();
    },
  });
  const { values, violations, field, clear } = useFields(
    { currentPassword: '', newPassword: '' },
    change.error,
  );
  return (
    <Panel title="Change password">
      <Form
        action={change}
        submitLabel="Change password"
        isExplained={violations['newPassword'] !== undefined}
        maw={440}
        onSubmit={() => change.run({ body: values })}
      >
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          {...field('currentPassword')}
        />
        <PasswordField
          label="New password"
          description={`At least ${PASSWORD_LENGTH.min} characters. All your other sessions end.`}
          autoComplete="new-password"
          {...field('newPassword')}
        />
      </Form>
    </Panel>
  );
}
