import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyFailure, notifySuccess } from '../notifications/notify.js';
import type { ApiClient } from './api-client.js';
import { useApi } from './api-context.js';
import { ApiError, messageOf } from './api-error.js';
import { invalidateLive } from './live-queries.js';
import type { Input, OperationId, Output } from './operations.js';

/** What follows an action. */
interface Outcome<Result> {
  /** What success shows. */
  readonly done?: string | ((result: Result) => string);
  readonly onDone?: ((result: Result) => void) | undefined;
  /** For a button without space for the error beside it. */
  readonly toastsFailure?: boolean;
}

/**
 * An action of the owner. `run` starts it; `isRunning` is true until it ends. The component shows its `error` beside the button.
 * Afterwards all live data is reloaded.
 */
export function useAction<Id extends OperationId>(id: Id, outcome: Outcome<Output<Id>> = {}) {
  return useTask((api, input: Input<Id>) => api.call(id, input), outcome);
}

/** An action that is more than one operation. */
export function useTask<Given, Result>(
  act: (api: ApiClient, given: Given) => Promise<Result>,
  outcome: Outcome<Result>,
) {
  const api = useApi();
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: (given: Given) => act(api, given),
    onSuccess: (result) => {
      const { done } = outcome;
      if (done !== undefined) notifySuccess(typeof done === 'string' ? done : done(result));
      void invalidateLive(queries, []);
      outcome.onDone?.(result);
    },
    onError: (error) => {
      const isSignedOut = error instanceof ApiError && error.status === 401;
      if (outcome.toastsFailure === true && !isSignedOut) {
        notifyFailure(messageOf(error), error instanceof ApiError ? error.requestId : undefined);
      }
    },
  });
  return {
    run: mutation.mutate,
    runAsync: mutation.mutateAsync,
    isRunning: mutation.isPending,
    isDone: mutation.isSuccess,
    error: mutation.error,
    response: mutation.data,
    reset: mutation.reset,
  };
}
