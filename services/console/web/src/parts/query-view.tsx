import { type ReactNode, useState } from 'react';
import { Deferred } from './deferred.js';
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
  const [isLoadedFirst] = useState(data !== undefined);
  const loading = <Loading label={`Loading ${label}`} />;
  if (data !== undefined) {
    const view = children(data);
    return isLoadedFirst ? view : <Deferred fallback={loading}>{view}</Deferred>;
  }
  return error === null || error === undefined ? (
    loading
  ) : (
    <ErrorState error={error} title={`Could not load ${label}`} onRetry={onRetry} />
  );
}
