import { useSyncExternalStore } from 'react';
import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-client.js';
import { errorSentence } from '@partner/console/shared/error-sentences';

/** Why data is missing while the connection is lost. */
export const NO_RESPONSE = new ApiError(errorSentence('', 'no_response'), { status: 0, code: 'no_response' });

/** Whether a request failed on its way or in the service. A refusal is a response: the connection works. */
export function isFailure(error: unknown): boolean {
  return error !== null && !(error instanceof ApiError && error.status >= 400 && error.status < 500);
}

/** What is known of data that the page shows. */
interface ShownData {
  readonly data: unknown;
  readonly error: unknown;
  readonly dataUpdatedAt: number;
}

/** Creates what knows since when the page shows old data: since the last response to the first request that failed again. */
export function createConnection() {
  const listeners = new Set<() => void>();
  let lostAt: number | undefined;
  return {
    /** The time in milliseconds; undefined while all data is current. Data that never loaded says itself that it is missing. */
    lostAt: () => lostAt,
    subscribe(listen: () => void): () => void {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
    /** Takes note of all data that the page shows. */
    note(shown: readonly ShownData[]): void {
      const old = shown.filter(({ data, error }) => data !== undefined && isFailure(error));
      const next =
        old.length === 0 ? undefined : (lostAt ?? Math.min(...old.map(({ dataUpdatedAt }) => dataUpdatedAt)));
      if (next === lostAt) return;
      lostAt = next;
      for (const listen of listeners) listen();
    },
  };
}

const connection = createConnection();

/** Makes the connection follow the data of the page. */
export function watchConnection(queries: QueryClient): void {
  const cache = queries.getQueryCache();
  cache.subscribe(() => connection.note(cache.findAll({ type: 'active' }).map(({ state }) => state)));
}

/** Returns since when the page shows old data, in milliseconds; undefined while it is current. */
export const useLostAt = () => useSyncExternalStore(connection.subscribe, connection.lostAt);
