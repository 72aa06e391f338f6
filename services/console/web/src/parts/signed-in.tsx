import { Outlet, ScrollRestoration, useBlocker, useLocation } from 'react-router';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { onConfirmed, useSession, useSignInMethods } from '../api/session.js';
import { PATHS, signInPath } from '../paths.js';
import { Loading, Notice, OwnerProvider, QueryView } from './page.js';
import { Shell } from './shell.js';
import { OutsidePage, ToSignIn } from './outside.js';
import { pageProviderName } from '../page-settings.js';
import { leaveQuestions, UNSAVED } from '../unsaved.js';
import { invalidateLive, paceReloads, reportChanges } from '../api/live-changes.js';
import { confirmationGate } from '../api/confirmation-gate.js';
import { useAction } from '../api/hooks.js';
import { useProbe } from './connection.js';
import { useIsWatched } from './hooks.js';
import { PasswordInput } from './fields.js';
import { Modal } from './overlays.js';
import { Button } from './ui.js';
import { ConfirmDialog, Form, FormFailure, useFields } from './form.js';

/** Shows the page to a signed-in owner, and a public one to anyone; redirects others to the sign-in page, which returns here. */
export function SignedIn() {
  const session = useSession();
  useProbe();
  const { pathname, search } = useLocation();
  if (session.data === null || session.data === 'ended') {
    if (pathname === PATHS.receiverCode) {
      return (
        <OutsidePage>
          <Outlet />
          <a href={`/console${signInPath(pathname)}`}>Sign in to the console</a>
        </OutsidePage>
      );
    }
    return <ToSignIn path={`${pathname}${search}`} />;
  }
  return (
    <OwnerProvider value={session.data ?? null}>
      <Shell>
        {session.data === undefined ? (
          <QueryView query={{ ...session, data: undefined }} label="the console">
            {() => null}
          </QueryView>
        ) : (
          <Pages />
        )}
      </Shell>
    </OwnerProvider>
  );
}

/** A page with a session, with live data and the dialog that asks for the password. */
function Pages() {
  const isIdle = useLiveChanges();
  return (
    <>
      <div role="status">
        {isIdle && (
          <Notice tone="info" title="This page stopped updating after 10 minutes without input">
            Move the pointer or press a key to update it.
          </Notice>
        )}
      </div>
      <Outlet context={isIdle} />
      <ScrollRestoration />
      <PasswordDialog />
      <LeaveGuard />
    </>
  );
}

/** Change events can be lost, so the page also polls. */
const POLL_MS = 30_000;

/**
 * Idle time after which the page stops polling. It is well below the session's idle timeout of 30 minutes, because polling keeps a
 * session alive.
 */
const IDLE_MS = 10 * 60_000;

/**
 * Keeps the data of a visible page up to date: by the stream of changes, and by polling every 30 seconds. The browser does not reopen a
 * stream after a response such as 429, so the polling does. Returns whether it has stopped because no one uses the page.
 */
function useLiveChanges(): boolean {
  const queries = useQueryClient();
  const isWatched = useIsWatched(IDLE_MS);
  const wasUnwatched = useRef(false);
  const [reload] = useState(() =>
    paceReloads(
      (webhookIds) => invalidateLive(queries, webhookIds, { cancels: false }),
      (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    ),
  );

  useEffect(() => {
    if (!isWatched) {
      wasUnwatched.current = true;
      return undefined;
    }
    if (wasUnwatched.current) reload([]);
    const listen = (wasInterrupted: boolean) => {
      const source = new EventSource('/partner-api/changes');
      reportChanges(source, reload, wasInterrupted);
      return source;
    };
    let source = listen(false);
    const timer = setInterval(() => {
      reload([]);
      if (source.readyState === EventSource.CLOSED) source = listen(true);
    }, POLL_MS);
    return () => {
      clearInterval(timer);
      source.close();
    };
  }, [isWatched, reload]);
  return !isWatched && document.visibilityState === 'visible';
}

/** Asks for the password while requests wait at the gate. Without a session they have nothing to wait for. */
function PasswordDialog() {
  const isAsking = useSyncExternalStore(confirmationGate.subscribe, confirmationGate.isAsking);
  useEffect(() => () => confirmationGate.settle(false), []);
  return (
    <Modal
      opened={isAsking}
      onClose={() => confirmationGate.settle(false)}
      title={pageProviderName() === '' ? 'Confirm your password' : 'Confirm that it’s you'}
    >
      <Confirmation />
    </Modal>
  );
}

/** Offers what the owner signs in with. The password comes first: it needs no other page. */
function Confirmation() {
  const { data, isLoading } = useSignInMethods();
  if (isLoading) return <Loading label="Loading how you sign in" rows={2} />;
  const hasPassword = data?.hasPassword !== false;
  const provider = data?.provider ?? null;
  return (
    <div className="stack">
      {hasPassword && <PasswordForm />}
      {provider !== null && provider.linkedAt !== null && (
        <ProviderForm
          name={provider.name}
          introduction={`${hasPassword ? 'Or sign' : 'Sign'} in again with ${provider.name} in a new tab. This page then continues.`}
        />
      )}
    </div>
  );
}

/** Signs the owner in again in another tab, so that this page keeps what was entered. */
function ProviderForm(props: { readonly name: string; readonly introduction: string }) {
  const { name, introduction } = props;
  useEffect(() => onConfirmed(() => confirmationGate.settle(true)), []);
  const tab = useRef<Window | null>(null);
  const [blockedUrl, setBlockedUrl] = useState<string>();
  const beginning = useAction('beginProviderConfirmation', {
    onDone: ({ authorizationUrl }) => {
      if (tab.current === null) setBlockedUrl(authorizationUrl);
      else tab.current.location.replace(authorizationUrl);
    },
  });
  const open = () => {
    // Before the request: browsers block a tab that does not open with the click.
    tab.current = window.open('about:blank', '_blank');
    if (tab.current !== null) tab.current.opener = null;
    beginning.run({}, { onError: () => tab.current?.close() });
  };
  return (
    <div className="stack">
      <p>{introduction}</p>
      <FormFailure error={beginning.error} />
      {blockedUrl === undefined ? (
        <Button variant="default" loading={beginning.isRunning} onClick={open}>
          {`Continue with ${name}`}
        </Button>
      ) : (
        <a href={blockedUrl} target="_blank" rel="noopener">{`Open ${name}`}</a>
      )}
    </div>
  );
}

function PasswordForm() {
  const confirmation = useAction('confirmSession', { onDone: () => confirmationGate.settle(true) });
  const { values, field } = useFields({ password: '' }, null);
  return (
    <Form
      action={confirmation}
      submitLabel="Confirm"
      onSubmit={() => confirmation.run({ body: values })}
      onCancel={() => confirmationGate.settle(false)}
    >
      <p>This requires your password if you have not entered it in the last 15 minutes.</p>
      <PasswordInput
        required
        label="Password"
        autoComplete="current-password"
        {...field('password')}
        data-autofocus
      />
    </Form>
  );
}

/** Asks before the owner leaves a page that would lose something. */
function LeaveGuard() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      leaveQuestions.size > 0 && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    const preventUnload = (event: BeforeUnloadEvent) => {
      if (leaveQuestions.size > 0) event.preventDefault();
    };
    window.addEventListener('beforeunload', preventUnload);
    return () => window.removeEventListener('beforeunload', preventUnload);
  }, []);
  return (
    <ConfirmDialog
      {...([...leaveQuestions.values()].at(-1) ?? UNSAVED)}
      isOpen={blocker.state === 'blocked'}
      confirmLabel="Leave"
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    />
  );
}
