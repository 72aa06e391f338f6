import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyFailure, notifySuccess } from '../notifications/notify.js';
import type { ApiClient } from './api-client.js';
import { useApi } from './api-context.js';
import { ApiError, messageOf } from './api-error.js';
import { invalidateLive } from './live-queries.js';

/**
 * An action of the owner. `run` starts it; `isRunning` is true until it ends. Success shows `done`. The component shows
 * its `error` beside the button; `toastsFailure` is for a button without space beside it. Afterwards all live data is reloaded.
 */
export function useAction<Input, Result>(action: {
  readonly act: (api: ApiClient, input: Input) => Promise<Result>;
  readonly done?: string | ((result: Result, input: Input) => string);
  readonly onDone?: (result: Result, input: Input) => void;
  readonly toastsFailure?: boolean;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: (input: Input) => action.act(api, input),
    onSuccess: (result, input) => {
      const { done } = action;
      if (done !== undefined) notifySuccess(typeof done === 'string' ? done : done(result, input));
      void invalidateLive(queries, []);
      action.onDone?.(result, input);
    },
    onError: (error) => {
      const isSignedOut = error instanceof ApiError && error.status === 401;
      if (action.toastsFailure === true && !isSignedOut) {
        notifyFailure(messageOf(error), error instanceof ApiError ? error.requestId : undefined);
      }
    },
  });
  return {
    run: mutation.mutate,
    runAsync: mutation.mutateAsync,
    isRunning: mutation.isPending,
    error: mutation.error,
    response: mutation.data,
    reset: mutation.reset,
  };
}
