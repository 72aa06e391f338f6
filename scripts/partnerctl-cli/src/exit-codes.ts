import { ChannelLostError, replyCodeOf } from '@partner/kernel/amqp/inspect-queues';
import { PublishError } from '@partner/kernel/amqp/publish-error';
import { ListenError } from '@partner/kernel/listen';
import { ServiceError } from '@partner/kernel/service-error';
import { CommanderError } from 'commander';

/** Exit codes of `partnerctl`. */
export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  unavailable: 4,
  differs: 5,
  interrupted: 130,
} as const;

type ExitName = keyof typeof EXIT_CODES;

/** An error that an operator can fix; the message says how. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string) {
    super(message);
    this.exit = exit;
  }
}

/** End of a run: exit code and message on standard error; no message if it was already written. */
export interface Ending {
  readonly exitCode: number;
  readonly message?: string;
}

const NO_RESPONSE = 'Is job-state running? `partnerctl doctor` checks every component.';
const NEVER_RUN = 'Has the service ever run against this broker?';

/** The error of wrong usage. */
export function wrongUsage(message: string): OperatorError {
  return new OperatorError('usage', message);
}

/** Converts a thrown error to the end of the run. */
export function endingOf(error: unknown): Ending {
  if (error instanceof CommanderError)
    return { exitCode: error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage };
  const [exit, message] = explained(error);
  return { exitCode: EXIT_CODES[exit], message };
}

function explained(error: unknown): readonly [exit: ExitName, message: string] {
  if (error instanceof OperatorError) return [error.exit, error.message];
  if (error instanceof ServiceError) return explainedServiceError(error);
  if (error instanceof PublishError)
    return error.kind === 'returned'
      ? ['unavailable', `no queue of the broker takes this message, so nothing was sent. ${NEVER_RUN}`]
      : ['unavailable', `the broker has not taken the message: ${error.message}`];
  const replyCode = replyCodeOf(error);
  if (replyCode !== undefined || error instanceof ChannelLostError) {
    const hint = replyCode === 404 ? `. ${NEVER_RUN}` : '';
    return ['unavailable', `the broker does not do this: ${causesOf(error)}${hint}`];
  }
  if (error instanceof ListenError) return ['failed', error.message];
  return ['failed', `this is a fault of partnerctl: ${textOf(error)}`];
}

function explainedServiceError(error: ServiceError): readonly [exit: ExitName, message: string] {
  switch (error.reason) {
    case 'not_found':
      return ['notFound', error.message];
    case 'unavailable': {
      const cause = error.cause === undefined ? '' : ` (${textOf(error.cause)})`;
      return ['unavailable', `${error.message}${cause}. ${NO_RESPONSE}`];
    }
    case 'internal':
      return ['failed', `${error.message}; job-state's log says why`];
    default: {
      const [, ...more] = error.attributes.details ?? [];
      const rest = more.map(({ path, message }) => `${path}: ${message}`);
      return ['failed', [error.message, ...rest].join('\n')];
    }
  }
}

/** Returns the messages of an error and its causes. */
function causesOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? textOf(error) : `${textOf(error)}: ${causesOf(cause)}`;
}

function textOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
