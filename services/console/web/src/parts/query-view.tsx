import { type ReactNode, useState } from 'react';
import { Deferred } from './deferred.js';
import { ErrorState } from './error-state.js';
import { Loading } from './loading.js';

/**
 * Shows loaded data, a loading state or an error. Loaded data stays visible if a reload fails.
 */
export function QueryView<Data>(props: {
  readonly query: {
    readonly data: Data | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly label: string;
  readonly children: (data: Data) => ReactNode;
}) {
  const { query, label, children } = props;
  const { data, error } = query;
  const [isLoadedFirst] = useState(data !== undefined);
  const loading = <Loading label={`Loading ${label}`} />;
  if (data !== undefined) {
    const view = children(data);
    return isLoadedFirst ? view : <Deferred fallback={loading}>{view}</Deferred>;
  }
  return error === null || error === undefined ? (
    loading
  ) : (
    <ErrorState error={error} title={`Could not load ${label}`} onRetry={() => void query.refetch()} />
  );
}
