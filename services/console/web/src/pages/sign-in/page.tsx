import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { useNewSession, useSession } from '../../api/session.js';
import { ApiError } from '../../api/api-error.js';
import { useAction } from '../../api/use-action.js';
import { useBeginProviderSignIn } from '../../api/provider-sign-in.js';
import { pageEnvironment, pageProviderName, pageSendsMail } from '../../page-settings.js';
import { CodeForm } from '../../parts/code-form.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Notice } from '../../parts/notice.js';
import { OutsidePage } from '../../parts/outside-page.js';
import { PageHeader } from '../../parts/page-header.js';
import { Panel } from '../../parts/panel.js';
import { TextLink } from '../../parts/text-link.js';
import { PATHS, pathAfterSignIn } from '../../paths.js';

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
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [asksCode, setAsksCode] = useState(false);

  if (typeof session.data === 'object' && session.data !== null) return <Navigate to={next} replace />;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    signIn.run({ body: { email, password } }, { onError: (error) => setAsksCode(needsCode(error)) });
  };
  const goBack = () => {
    signIn.reset();
    setAsksCode(false);
  };
  if (asksCode) {
    return (
      <CodePage
        isRunning={signIn.isRunning}
        error={needsCode(signIn.error) ? null : signIn.error}
        onBack={goBack}
        onSubmit={(code) => signIn.run({ body: { email, password, code } })}
      />
    );
  }
  return (
    <OutsidePage>
      <PageHeader
        title="Sign in to the partner console"
        description={`For the people of a partner company. This is the ${pageEnvironment()} environment.`}
      />
      <Panel p="lg">
        <form onSubmit={submit}>
          <Stack>
            {session.data === 'ended' && signIn.error === null && (
              <Notice tone="info" title="Your session ended">
                Sign in to return to your page.
              </Notice>
            )}
            <TextInput
              label="Email address"
              type="email"
              autoComplete="username"
              value={email}
              onChange={({ currentTarget }) => setEmail(currentTarget.value)}
              required
              withAsterisk={false}
            />
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              value={password}
              onChange={({ currentTarget }) => setPassword(currentTarget.value)}
              required
              withAsterisk={false}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
            />
            <FormFailure error={needsCode(signIn.error) ? null : signIn.error} />
            <Button type="submit" loading={signIn.isRunning} fullWidth>
              Sign in
            </Button>
            <ProviderSignIn next={next} />
            {pageSendsMail() && <TextLink to={PATHS.forgotPassword}>Forgot your password?</TextLink>}
          </Stack>
        </form>
      </Panel>
    </OutsidePage>
  );
}

function CodePage(props: {
  readonly isRunning: boolean;
  readonly error: unknown;
  readonly onBack: () => void;
  readonly onSubmit: (code: string) => void;
}) {
  return (
    <OutsidePage>
      <PageHeader
        title="Enter your code"
        description="Your account is protected with two-factor authentication."
      />
      <Panel p="lg">
        <CodeForm
          description="The 6 digits of your authenticator app, or a recovery code"
          submitLabel="Sign in"
          isRunning={props.isRunning}
          error={props.error}
          cancel={
            <Button variant="default" onClick={props.onBack}>
              Back
            </Button>
          }
          onSubmit={props.onSubmit}
        />
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
