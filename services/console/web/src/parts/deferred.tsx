import { type ReactNode, useDeferredValue } from 'react';

/**
 * Shows the fallback, and renders large content in small steps behind it, so that a slow device still responds meanwhile. The API's
 * responses would otherwise be rendered in one step.
 */
export function Deferred({
  fallback,
  children,
}: {
  readonly fallback: ReactNode;
  readonly children: ReactNode;
}) {
  return useDeferredValue(true, false) ? children : fallback;
}
