import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyFailure, notifySuccess } from '../notifications/notify.js';
import type { ApiClient } from './api-client.js';
import { useApi } from './api-context.js';
import { ApiError, messageOf } from './api-error.js';
import { invalidateLive } from './live-queries.js';

/**
 * Something that an owner does. `run` does it; `isRunning` meanwhile. Success is told with `done`, a failure with its message
 * and request id unless `notifiesFailure` is false (for forms that show it themselves, from `error`); all live data are loaded again.
 */
export function useAction<Input, Answer>(action: {
  readonly act: (api: ApiClient, input: Input) => Promise<Answer>;
  readonly done?: string | ((answer: Answer, input: Input) => string);
  readonly onDone?: (answer: Answer, input: Input) => void;
  readonly notifiesFailure?: boolean;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: (input: Input) => action.act(api, input),
    onSuccess: (answer, input) => {
      const { done } = action;
      if (done !== undefined) notifySuccess(typeof done === 'string' ? done : done(answer, input));
      void invalidateLive(queries, []);
      action.onDone?.(answer, input);
    },
    onError: (error) => {
      const wasCalledOff = error instanceof ApiError && error.code === 'confirmation_required';
      const isSignedOut = error instanceof ApiError && error.status === 401;
      if ((action.notifiesFailure ?? true) && !wasCalledOff && !isSignedOut) {
        notifyFailure(messageOf(error), error instanceof ApiError ? error.requestId : undefined);
      }
    },
  });
  return {
    run: mutation.mutate,
    runAsync: mutation.mutateAsync,
    isRunning: mutation.isPending,
    error: mutation.error,
    answer: mutation.data,
    reset: mutation.reset,
  };
}
