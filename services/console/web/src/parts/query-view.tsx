import type { ReactNode } from 'react';
import { ErrorState } from './error-state.js';
import { Loading } from './loading.js';

/**
 * Shows what was loaded, or that it is being loaded, or that it could not be. What is there already stays to be seen when looking
 * again fails.
 */
export function QueryView<Answer>(props: {
  readonly data: Answer | undefined;
  readonly error: unknown;
  readonly label: string;
  readonly onRetry: () => void;
  readonly children: (data: Answer) => ReactNode;
}) {
  const { data, error, label, onRetry, children } = props;
  if (data !== undefined) return children(data);
  return error === null || error === undefined ? (
    <Loading label={`Loading ${label}`} />
  ) : (
    <ErrorState error={error} title={`Could not load ${label}`} onRetry={onRetry} />
  );
}
