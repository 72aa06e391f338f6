import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { useBeginProviderSignIn, useNewSession, useSession } from '../../api/session.js';
import { useAction } from '../../api/hooks.js';
import { pageEnvironment, pageProviderName, pageSendsMail } from '../../page-settings.js';
import { EmailField, Form, FormFailure, PasswordField, useFields } from '../../parts/form.js';
import { Notice, TextLink } from '../../parts/page.js';
import { pathAfterSignIn, PATHS } from '../../paths.js';
import { CodePage, needsCode, OutsidePanel } from '../../parts/outside.js';

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
  if (asksCode) {
    return (
      <CodePage
        action={signIn}
        cancelLabel="Back"
        onCancel={() => {
          signIn.reset();
          setAsksCode(false);
        }}
        onSubmit={(code) => signIn.run({ body: { ...values, code } })}
      />
    );
  }
  return (
    <OutsidePanel
      title="Sign in to the partner console"
      description={`For the people of a partner company. This is the ${pageEnvironment()} environment.`}
    >
      <Stack>
        <Form
          action={{ ...signIn, error: needsCode(signIn.error) ? null : signIn.error }}
          submitLabel="Sign in"
          button={{ fullWidth: true }}
          onSubmit={() => signIn.run({ body: values }, { onError: (error) => setAsksCode(needsCode(error)) })}
        >
          {session.data === 'ended' && signIn.error === null && (
            <Notice tone="info" title="Your session ended">
              Sign in to return to your page.
            </Notice>
          )}
          <EmailField autoComplete="username" {...field('email')} />
          <PasswordField label="Password" autoComplete="current-password" {...field('password')} />
        </Form>
        <ProviderSignIn next={next} />
        {pageSendsMail() && <TextLink to={PATHS.forgotPassword}>Forgot your password?</TextLink>}
      </Stack>
    </OutsidePanel>
  );
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
