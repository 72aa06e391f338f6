import { LocalServerError } from '@partner/test-kit/backing-services/local-process';
import { PollTimeoutError } from '@partner/test-kit/eventually';
import { StackError } from './stack-error.js';

/**
 * Runs a program of `scripts` and exits: with 130 after a signal, with 1 after another failure. A signal aborts `interruption`. An
 * error that the user can fix is shown by its message alone.
 */
export async function runScript(
  name: string,
  interruption: AbortController,
  main: () => Promise<unknown>,
): Promise<never> {
  // The reader of the output has gone, e.g. head; the work continues.
  process.stdout.on('error', () => undefined);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interruption.abort(new StackError(`ended by ${signal}`)));
  }
  process.on('unhandledRejection', (failure) => {
    // Work of an interrupted program may fail after no one waits for it. It must not keep `main` from ending what it started.
    if (!interruption.signal.aborted) throw failure;
  });
  try {
    await main();
    process.exit();
  } catch (failure) {
    // A program of this process may have failed first because of the signal.
    const { aborted } = interruption.signal;
    const error: unknown = aborted ? interruption.signal.reason : failure;
    const isForPeople =
      error instanceof StackError || error instanceof LocalServerError || error instanceof PollTimeoutError;
    const text = error instanceof Error ? (isForPeople ? error.message : error.stack) : error;
    process.stderr.write(`scripts/${name}: ${String(text)}\n`);
    process.exit(aborted ? 130 : 1);
  }
}
