import { NOT_DONE_ADVICE, OUTCOME_UNKNOWN_ADVICE, ServiceError } from '@partner/kernel/process/service-error';
import pg from 'pg';

/** The code of every statement after a failed one, until the end of the transaction. */
const ABORTED_CODE = '25P02';

/** Codes and classes of codes (the first two characters) that the statement does not cause: a retry can succeed. */
const TRANSIENT: ReadonlySet<string> = new Set([
  '08', // the connection failed
  '25006', // read only: a former primary
  '25P03', // idle in a transaction for too long
  '25P04', // the transaction took too long
  '40', // rolled back: a deadlock was broken, or transactions could not be serialized
  '53', // lacking disk space, memory or connections
  '57', // canceled since it took too long, or the server shuts down, has crashed or starts
  '58', // the operating system failed
]);

/** Of the transient ones, those after which the server closes the connection, or another connection finds another server. */
const BREAKING: ReadonlySet<string> = new Set([
  '08',
  '25006',
  '25P03',
  '25P04',
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '57P05',
]);

function isIn(codes: ReadonlySet<string>, error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  const code = error.code ?? '';
  return codes.has(code) || codes.has(code.slice(0, 2));
}

/** Whether a retry of the same statement can succeed. True if the server did not respond. */
export function isTransient(error: unknown): boolean {
  return isIn(TRANSIENT, error);
}

/** Whether the connection must not be used again. True if the server did not respond. */
export function breaksConnection(error: unknown): boolean {
  return isIn(BREAKING, error);
}

/** True for the failure of a statement that ran after another one had failed in its transaction. */
export function isAfterFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === ABORTED_CODE;
}

/** Whether a statement failed because a row with this unique key exists. */
export function isTaken(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === constraint;
}

/** A statement waited too long for a lock that another transaction holds, or in vain: the row has moved, or both waited for each other. */
export class LockTimeoutError extends ServiceError {
  constructor(cause: unknown) {
    super('unavailable', `the resource is busy; ${NOT_DONE_ADVICE}`, {
      retryAfterSeconds: 1,
      cause,
    });
  }
}

/** The failure of a caller whose database is not available; the outcome of a commit is then unknown. */
export class UnavailableError extends ServiceError {
  constructor(cause: unknown) {
    super('unavailable', `the service is not available now; ${OUTCOME_UNKNOWN_ADVICE}`, {
      retryAfterSeconds: 1,
      cause,
    });
  }
}

/** A commit had no response: the transaction may have taken effect. No other failure of a transaction leaves that open. */
export class CommitUnknownError extends UnavailableError {}

/** The error that a caller receives for a failed statement. One that is neither transient nor listed stays: it is a bug. */
export function failureOf(error: unknown): unknown {
  switch (error instanceof pg.DatabaseError ? error.code : undefined) {
    case '55P03':
    case '40001':
    case '40P01':
      return new LockTimeoutError(error);
    // Characters that the server cannot store: U+0000 as text or inside a JSON document.
    case '22021':
    case '22P05':
      return new ServiceError('invalid_argument', 'text must not contain the character U+0000', {
        cause: error,
      });
    default:
      return isTransient(error) ? new UnavailableError(error) : error;
  }
}
