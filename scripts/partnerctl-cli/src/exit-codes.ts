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

/** Converts a thrown error to the end of the run. */
export function endingOf(error: unknown): Ending {
  if (error instanceof OperatorError) return { exitCode: EXIT_CODES[error.exit], message: error.message };
  if (error instanceof CommanderError) {
    return { exitCode: error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage };
  }
  if (error instanceof ServiceError) return endingOfServiceError(error);
  if (error instanceof PublishError) {
    return error.kind === 'returned'
      ? {
          exitCode: EXIT_CODES.unavailable,
          message: `no queue of the broker takes this message, so nothing was sent. Has the service ever run against this broker?`,
        }
      : {
          exitCode: EXIT_CODES.unavailable,
          message: `the broker has not taken the message: ${error.message}`,
        };
  }
  const replyCode = replyCodeOf(error);
  if (replyCode !== undefined || error instanceof ChannelLostError) {
    const hint = replyCode === 404 ? '. Has the service ever run against this broker?' : '';
    return {
      exitCode: EXIT_CODES.unavailable,
      message: `the broker does not do this: ${causesOf(error)}${hint}`,
    };
  }
  if (error instanceof ListenError) return { exitCode: EXIT_CODES.failed, message: error.message };
  return { exitCode: EXIT_CODES.failed, message: `this is a fault of partnerctl: ${textOf(error)}` };
}

function endingOfServiceError(error: ServiceError): Ending {
  switch (error.reason) {
    case 'not_found':
      return { exitCode: EXIT_CODES.notFound, message: error.message };
    case 'unavailable': {
      const cause = error.cause === undefined ? '' : ` (${textOf(error.cause)})`;
      return { exitCode: EXIT_CODES.unavailable, message: `${error.message}${cause}. ${NO_RESPONSE}` };
    }
    case 'internal':
      return { exitCode: EXIT_CODES.failed, message: `${error.message}; job-state's log says why` };
    default: {
      const more = (error.attributes.details ?? [])
        .slice(1)
        .map(({ path, message }) => `${path}: ${message}`);
      return { exitCode: EXIT_CODES.failed, message: [error.message, ...more].join('\n') };
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
