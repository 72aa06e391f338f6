import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { createBrowserRouter, type RouteObject, RouterProvider } from 'react-router';
import { ApiProvider } from './api/hooks.js';
import { createApiClient } from './api/api-client.js';
import { isFailure, watchConnection } from './api/connection.js';
import { confirmationGate } from './api/confirmation-gate.js';
import { endSession } from './api/session.js';
import { followLinks } from './parts/link.js';
import { Loading, OwnersPage } from './parts/page.js';
import { FailedPage } from './parts/outside.js';

/** Method and path of each operation, which the build takes from the contracts. */
declare const CONSOLE_ROUTES: Readonly<Record<string, string>>;

interface PageModule {
  readonly Page: () => ReactNode;
}

/** A page that is loaded on navigation. */
function page(path: string, load: () => Promise<PageModule>): RouteObject {
  return { path, lazy: async () => ({ Component: (await load()).Page }) };
}

const ROUTES: RouteObject[] = [
  {
    ErrorBoundary: FailedPage,
    HydrateFallback: () => <Loading label="Loading the console" />,
    children: [
      {
        lazy: async () => ({ Component: (await import('./parts/signed-in.js')).SignedIn }),
        children: [
          {
            ErrorBoundary: FailedPage,
            children: [
              page('/', () => import('./pages/overview/page.js')),
              page('webhooks', () => import('./pages/webhooks/page.js')),
              page('webhooks/proposals/:id', () => import('./pages/webhook-proposal/page.js')),
              page('webhooks/:id', () => import('./pages/webhook/page.js')),
              {
                Component: OwnersPage,
                children: [
                  page('webhooks/new', () => import('./pages/create-webhook/page.js')),
                  page('webhooks/:id/setup', () => import('./pages/create-webhook/page.js')),
                  page('webhooks/:id/rotate-secret', () => import('./pages/rotate-secret/page.js')),
                  page('webhooks/:id/replay', () => import('./pages/bulk-replay/page.js')),
                ],
              },
              page('deliveries', () => import('./pages/deliveries/page.js')),
              page('deliveries/:id', () => import('./pages/delivery/page.js')),
              page('why', () => import('./pages/why/page.js')),
              page('catalogue', () => import('./pages/catalogue/page.js')),
              page('receiver-code', () => import('./pages/receiver-code/page.js')),
              page('test-receiver', () => import('./pages/test-receiver/page.js')),
              page('api-keys', () => import('./pages/api-keys/page.js')),
              page('notifications', () => import('./pages/notifications/page.js')),
              page('technical-contact', () => import('./pages/technical-contact/page.js')),
              page('audit', () => import('./pages/audit/page.js')),
              page('people', () => import('./pages/colleagues/page.js')),
              page('sessions', () => import('./pages/sessions/page.js')),
              page('account', () => import('./pages/account/page.js')),
              page('*', () => import('./pages/not-found/page.js')),
            ],
          },
        ],
      },
    ],
  },
];

function createApp() {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        // Only transient failures are retried, and only once: the page must report the problem.
        retry: (failures, error) => failures < 1 && isFailure(error),
        // Without a network a request fails, as with a service that is away.
        networkMode: 'always',
        refetchOnWindowFocus: false,
        staleTime: 5_000,
      },
      // Not later, when it is not expected.
      mutations: { networkMode: 'always' },
    },
  });
  watchConnection(queries);
  const api = createApiClient({
    routeOf: (id) => CONSOLE_ROUTES[id] ?? '',
    fetch: (url, init) => fetch(url, init),
    onSignedOut: () => endSession(queries),
    confirmPassword: () => confirmationGate.requestPassword(),
  });
  const router = createBrowserRouter(ROUTES, { basename: '/console' });
  followLinks((to, options) => void router.navigate(to, options));
  return { queries, api, router };
}

/** The owners' web app. */
export function App() {
  const [{ queries, api, router }] = useState(createApp);
  return (
    <QueryClientProvider client={queries}>
      <ApiProvider value={api}>
        <RouterProvider router={router} />
      </ApiProvider>
    </QueryClientProvider>
  );
}
