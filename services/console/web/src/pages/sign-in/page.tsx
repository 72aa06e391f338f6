import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { useNewSession, useSession } from '../../api/session.js';
import { ApiError } from '../../api/api-error.js';
import { useAction } from '../../api/hooks.js';
import { useBeginProviderSignIn } from '../../api/provider-sign-in.js';
import { pageEnvironment, pageProviderName, pageSendsMail } from '../../page-settings.js';
import { CodeForm, Form, FormFailure, PasswordField, useFields } from '../../parts/form.js';
import { Notice, PageHeader, Panel, TextLink } from '../../parts/page.js';
import { OutsidePage } from '../../parts/outside.js';
import { pathAfterSignIn, PATHS } from '../../paths.js';

/** Sign-in page. */
export function Page() {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const session = useSession();
  const next = pathAfterSignIn(query.get('next'));
  const continueWith = useNewSession();
  const signIn = useAction('createSession', {
    onDone: (created) => {
      continueWith(created);
      void navigate(next, { replace: true });
    },
  });
  const { values, field } = useFields({ email: '', password: '' }, null);
  const [asksCode, setAsksCode] = useState(false);

  if (typeof session.data === 'object' && session.data !== null) return <Navigate to={next} replace />;
  const action = { ...signIn, error: needsCode(signIn.error) ? null : signIn.error };
  if (asksCode) {
    return (
      <OutsidePage>
        <PageHeader
          title="Enter your code"
          description="Your account is protected with two-factor authentication."
        />
        <Panel p="lg">
          <CodeForm
            action={action}
            submitLabel="Sign in"
            cancelLabel="Back"
            onCancel={() => {
              signIn.reset();
              setAsksCode(false);
            }}
            onSubmit={(code) => signIn.run({ body: { ...values, code } })}
          />
        </Panel>
      </OutsidePage>
    );
  }
  return (
    <OutsidePage>
      <PageHeader
        title="Sign in to the partner console"
        description={`For the people of a partner company. This is the ${pageEnvironment()} environment.`}
      />
      <Panel p="lg">
        <Stack>
          <Form
            action={action}
            submitLabel="Sign in"
            button={{ fullWidth: true }}
            onSubmit={() =>
              signIn.run({ body: values }, { onError: (error) => setAsksCode(needsCode(error)) })
            }
          >
            {session.data === 'ended' && signIn.error === null && (
              <Notice tone="info" title="Your session ended">
                Sign in to return to your page.
              </Notice>
            )}
            <TextInput
              label="Email address"
              type="email"
              autoComplete="username"
              {...field('email')}
              required
            />
            <PasswordField label="Password" autoComplete="current-password" {...field('password')} />
          </Form>
          <ProviderSignIn next={next} />
          {pageSendsMail() && <TextLink to={PATHS.forgotPassword}>Forgot your password?</TextLink>}
        </Stack>
      </Panel>
    </OutsidePage>
  );
}

function needsCode(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'second_factor_required';
}

/** Sign-in with the identity provider, if there is one. */
function ProviderSignIn({ next }: { readonly next: string }) {
  const beginning = useBeginProviderSignIn();
  const name = pageProviderName();
  if (name === '') return null;
  return (
    <>
      <FormFailure error={beginning.error} />
      <Button variant="default" loading={beginning.isRunning} onClick={() => beginning.begin(next)}>
        {`Continue with ${name}`}
      </Button>
    </>
  );
}
