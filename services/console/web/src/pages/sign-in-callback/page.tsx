import { type ReactNode, useEffect, useState } from 'react';
import { Navigate, useNavigate } from 'react-router';
import { ApiError } from '../../api/api-client.js';
import { announceConfirmed, useNewSession, wantedPage } from '../../api/session.js';
import { useAction } from '../../api/hooks.js';
import { useProviderResponse } from '../../link-secrets.js';
import { pageProviderName } from '../../page-settings.js';
import { FormFailure } from '../../parts/form.js';
import { LinkButton, Loading, Notice, PageHeader } from '../../parts/page.js';
import { CodePage, needsCode, OutsidePage, OutsidePanel } from '../../parts/outside.js';
import { pathAfterSignIn, signInPath } from '../../paths.js';

/** Page to which the identity provider returns. */
export function Page() {
  const navigate = useNavigate();
  const response = useProviderResponse();
  const [query] = useState(response);
  // The response works once: it does not stay in the history either.
  useEffect(() => {
    if (response !== '') void navigate('.', { replace: true, state: null });
  }, [navigate, response]);
  // Loaded again, after the response was used.
  if (query === '') return <Navigate to={signInPath(pathAfterSignIn(wantedPage()))} replace />;
  const isConfirmation = new URLSearchParams(query).get('state')?.startsWith('confirm.') === true;
  return isConfirmation ? <Confirmation query={query} /> : <SignIn query={query} />;
}

function SignIn({ query }: { readonly query: string }) {
  const navigate = useNavigate();
  const continueWith = useNewSession();
  const { run, error, isRunning } = useAction('completeProviderSignIn', {
    onDone: ({ session, returnTo }) => {
      continueWith(session);
      void navigate(pathAfterSignIn(returnTo), { replace: true });
    },
  });
  const [asksCode, setAsksCode] = useState(false);
  useEffect(() => {
    run({ body: { query } }, { onError: (failure) => setAsksCode(needsCode(failure)) });
  }, [run, query]);
  const mayRetryCode =
    error === null || (error instanceof ApiError && error.code.startsWith('second_factor_'));
  if (asksCode && mayRetryCode) {
    return <CodePage action={{ isRunning, error }} onSubmit={(code) => run({ body: { query, code } })} />;
  }
  return (
    <Result error={error} title={`Sign in with ${pageProviderName()}`}>
      <LinkButton to={signInPath(pathAfterSignIn(wantedPage()))} mt="md">
        Back to sign-in
      </LinkButton>
    </Result>
  );
}

function Confirmation({ query }: { readonly query: string }) {
  const { run, error, response } = useAction('completeProviderConfirmation', {
    onDone: () => {
      announceConfirmed();
      window.close();
    },
  });
  useEffect(() => run({ body: { query } }), [run, query]);
  if (response === undefined) {
    return (
      <Result error={error} title="Confirm your session">
        Close this tab, then start again in the page that you came from.
      </Result>
    );
  }
  return (
    <OutsidePage>
      <PageHeader title="Session confirmed" description="The page that you came from continues." />
      <Notice tone="good" title="You can close this tab" isAlert />
    </OutsidePage>
  );
}

/** Shows that the response is being checked, or why it was refused. */
function Result(props: { readonly title: string; readonly error: unknown; readonly children: ReactNode }) {
  return (
    <OutsidePanel title={props.title}>
      {props.error === null ? (
        <Loading label="Checking your sign-in" rows={2} />
      ) : (
        <>
          <FormFailure error={props.error} />
          {props.children}
        </>
      )}
    </OutsidePanel>
  );
}
