import { Stack, Text } from '@mantine/core';
import { PASSWORD_LENGTH } from '@partner/proto-contracts/resources/password/password';
import { useSignInMethods } from '../../api/provider-sign-in.js';
import { pageProviderName } from '../../page-settings.js';
import { Notice, PageHeader, Panel, QueryView } from '../../parts/page.js';
import { SecondFactorPanel } from './second-factor-panel.js';
import { useAction } from '../../api/hooks.js';
import { useNewSession } from '../../api/session.js';
import { Form, PasswordField, useFields } from '../../parts/form.js';
import { PastTime } from '../../parts/data.js';

/** Page of the signed-in owner's account. */
export function Page() {
  const providerName = pageProviderName();
  const methods = useSignInMethods();
  return (
    <>
      <PageHeader title="Account" description="How you sign in to this console." />
      <Stack gap="md">
        {methods.data?.hasPassword !== false && <PasswordPanel />}
        {providerName !== '' && <ProviderPanel name={providerName} />}
        <SecondFactorPanel />
      </Stack>
    </>
  );
}

/** The form that changes the password. */
function PasswordPanel() {
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

/** Whether the owner signs in with the identity provider; nothing where there is none. */
function ProviderPanel({ name }: { readonly name: string }) {
  const methods = useSignInMethods();
  return (
    <Panel title={`Sign-in with ${name}`}>
      <QueryView query={methods} label="how you sign in">
        {({ hasPassword, provider }) =>
          provider === null || provider.linkedAt === null ? (
            <Text>{`Not linked. Your account is linked when you first sign in with ${name}, if it has your email address.`}</Text>
          ) : (
            <Notice tone="good" title="Linked">
              Since <PastTime at={provider.linkedAt} />.
              {!hasPassword && ' You have no password for this console.'}
            </Notice>
          )
        }
      </QueryView>
    </Panel>
  );
}
