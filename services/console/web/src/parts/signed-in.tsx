import { Container } from '@mantine/core';
import { Navigate, useLocation } from 'react-router';
import { useSession } from '../api/session.js';
import { signInPath } from '../paths.js';
import { QueryView } from './query-view.js';
import { OwnerProvider } from './owner-context.js';
import { Shell } from './shell.js';
// Loaded with the pages that need it: when a request asks for the password, this version's files may be gone.
import './password-dialog.js';

/** Shows the page to a signed-in owner; redirects others to the sign-in page, which returns here. */
export function SignedIn() {
  const session = useSession();
  const { pathname, search } = useLocation();
  if (session.data === null || session.data === 'ended')
    return <Navigate to={signInPath(`${pathname}${search}`)} replace />;
  if (session.data !== undefined) {
    return (
      <OwnerProvider value={session.data}>
        <Shell />
      </OwnerProvider>
    );
  }
  return (
    <Container component="main" py="xl">
      <QueryView
        data={undefined}
        error={session.error}
        label="the console"
        onRetry={() => void session.refetch()}
      >
        {() => null}
      </QueryView>
    </Container>
  );
}
