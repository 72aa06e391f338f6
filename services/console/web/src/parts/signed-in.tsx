import { Container } from '@mantine/core';
import { Navigate, Outlet, useLocation } from 'react-router';
import { useSession } from '../api/session.js';
import { PATHS, signInPath } from '../paths.js';
import { Deferred } from './deferred.js';
import { Loading } from './loading.js';
import { QueryView } from './query-view.js';
import { OutsidePage } from './outside-page.js';
import { OwnerProvider } from './owner-context.js';
import { Shell } from './shell.js';
import { TextLink } from './text-link.js';
// Loaded with the pages that need it: when a request asks for the password, this version's files may be gone.
import './password-dialog.js';

/** Shows the page to a signed-in owner, and a public one to anyone; redirects others to the sign-in page, which returns here. */
export function SignedIn() {
  const session = useSession();
  const { pathname, search } = useLocation();
  if (session.data === null || session.data === 'ended') {
    if (pathname === PATHS.receiverCode) {
      return (
        <OutsidePage size={900}>
          <Outlet />
          <TextLink to={signInPath(pathname)}>Sign in to the console</TextLink>
        </OutsidePage>
      );
    }
    return <Navigate to={signInPath(`${pathname}${search}`)} replace />;
  }
  if (session.data !== undefined) {
    return (
      <OwnerProvider value={session.data}>
        <Deferred fallback={<Loading label="Loading the console" />}>
          <Shell />
        </Deferred>
      </OwnerProvider>
    );
  }
  return (
    <Container component="main" py="xl">
      <QueryView query={{ ...session, data: undefined }} label="the console">
        {() => null}
      </QueryView>
    </Container>
  );
}
