import type { ReactNode } from 'react';
import { ErrorState } from './error-state.js';
import { Loading } from './loading.js';

/**
 * Shows loaded data, a loading state or an error. Loaded data stays visible if a reload fails.
 */
export function QueryView<Data>(props: {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly label: string;
  readonly onRetry: () => void;
  readonly children: (data: Data) => ReactNode;
}) {
  const { data, error, label, onRetry, children } = props;
  if (data !== undefined) return children(data);
  return error === null || error === undefined ? (
    <Loading label={`Loading ${label}`} />
  ) : (
    <ErrorState error={error} title={`Could not load ${label}`} onRetry={onRetry} />
  );
}
