import { ChannelLostError, replyCodeOf } from '@partner/kernel/amqp/inspect-queues';
import { PublishError } from '@partner/kernel/amqp/publish-error';
import { ListenError } from '@partner/kernel/process/listen';
import { NOT_DONE_ADVICE, OUTCOME_UNKNOWN_ADVICE, ServiceError } from '@partner/kernel/process/service-error';
import { CommanderError } from 'commander';

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

/** A component of the system gave no result. The advice that the service has for clients over HTTP does not fit an operator. */
export class ComponentUnavailableError extends OperatorError {
  readonly finding: string;

  /** `component` is the service that consumes the requests, e.g. `job-state`. */
  constructor(component: string, { message, cause }: ServiceError) {
    const reason =
      cause === undefined ? `: ${withoutAdvice(message)}` : ` has not done this: ${textOf(cause)}`;
    const effect = message.includes(NOT_DONE_ADVICE)
      ? 'Nothing was changed.'
      : 'If it was a change, check whether it took effect before you repeat it.';
    super(
      'unavailable',
      `${component}${reason}. ${effect} Is ${component} running? \`partnerctl doctor\` checks every component.`,
    );
    this.finding = `${component}${reason}`;
  }
}

function withoutAdvice(message: string): string {
  return message.replace(`; ${NOT_DONE_ADVICE}`, '').replace(`; ${OUTCOME_UNKNOWN_ADVICE}`, '');
}

const NEVER_RUN = 'Has the service ever run against this broker?';

export function wrongUsage(message: string): OperatorError {
  return new OperatorError('usage', message);
}

export function endingOf(error: unknown): { readonly exitCode: number; readonly message?: string } {
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
  return ['failed', `this is a bug in partnerctl: ${textOf(error)}`];
}

const OPTIONS: Readonly<Record<string, string>> = {
  ...{
    eventIds: '--ids',
    from: '--since',
    to: '--until',
    perMinute: '--rate',
    deliveriesPerSecond: '--rate',
  },
  ...{ boundCompanyId: '--bound-to', resourceId: '--resource', secretVersion: '--secret-version' },
  ...{ pendingSecretVersion: '--secret-version', installerRequestsPerMinute: '--requests-per-minute' },
};

function optionOf(path: string): string {
  const option = OPTIONS[path.split('.')[0] ?? ''];
  return option === undefined ? path : `${option} (${path})`;
}

function explainedServiceError(error: ServiceError): readonly [exit: ExitName, message: string] {
  switch (error.reason) {
    case 'not_found':
      return ['notFound', error.message];
    case 'unavailable':
      return ['unavailable', new ComponentUnavailableError('job-state', error).message];
    case 'internal':
      return ['failed', `${withoutAdvice(error.message)}; job-state's log says why`];
    default: {
      const { details = [] } = error.attributes;
      const lines = details.map(({ path, message }) => `${optionOf(path)}: ${message}`);
      const isOfField = details.some(({ path }) => error.message.startsWith(`${path}: `));
      return ['failed', (isOfField ? lines : [error.message, ...lines.slice(1)]).join('\n')];
    }
  }
}

function causesOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? textOf(error) : `${textOf(error)}: ${causesOf(cause)}`;
}

function textOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
