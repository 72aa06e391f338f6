import { createTransport } from 'nodemailer';
import { z } from 'zod';
import { urlWithProtocol } from '../process/config.js';
import { isLoopback } from '../process/production-settings.js';

/** Settings for sending email; without `SMTP_URL` none is sent. Check them with {@link hasSender}. */
export const mailConfig = {
  SMTP_URL: urlWithProtocol('smtp:', 'smtps:').optional().meta({
    description:
      'Mail server, `smtps://user:password@host:465`, or `smtp://…` with STARTTLS. TLS is required, except for a server on this machine. Without this setting, no email is sent.',
    isSecret: true,
  }),
  MAIL_FROM: z
    .email('must be an email address')
    .optional()
    .describe('Sender address of email, e.g. `partner-api@example.com`. Required with `SMTP_URL`.'),
} as const;

export function hasSender(config: {
  readonly SMTP_URL?: string | undefined;
  readonly MAIL_FROM?: string | undefined;
}) {
  return config.SMTP_URL === undefined || config.MAIL_FROM !== undefined;
}

/** The violation that {@link hasSender} detects, also beside a setting of a wrong form. */
export const NO_SENDER = {
  path: ['MAIL_FROM'],
  message: 'is not set, but is required with SMTP_URL',
  when: () => true,
};

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

export interface Mailer {
  /**
   * Resolves once the mail server has accepted the email. Rejects with a {@link MailError} if it refused, or if that is
   * unknown.
   */
  send(mail: Mail): Promise<void>;
}

const STEP_TIMEOUT_MS = 4_000;
const TIMEOUT_MS = 8_000;

/**
 * Creates the mailer of a mail server; undefined without one. Connections are encrypted, except to this machine: a
 * server without TLS is refused. One email takes at most 8 s.
 */
export function createMailer(config: {
  readonly SMTP_URL?: string | undefined;
  readonly MAIL_FROM?: string | undefined;
}): Mailer | undefined {
  const { SMTP_URL: url, MAIL_FROM: from } = config;
  if (url === undefined || from === undefined) return undefined;
  const { host, hostname } = new URL(url);
  const isThisMachine = isLoopback(hostname);
  const transport = createTransport({
    url,
    requireTLS: !isThisMachine,
    ignoreTLS: isThisMachine,
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, ...mail }) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      // As an object: nodemailer rewrites an address that it parses from text.
      const recipient = { name: '', address: to };
      await transport.sendMail({ from, to: recipient, signal, ...mail }).catch((error: unknown) => {
        // The server's own text is no cause: it can hold the address, and errors are logged.
        throw new MailError(host, error);
      });
    },
  };
}

export class MailError extends Error {
  override readonly name = 'MailError';
  /** True: the server refuses this email for good, but may accept others. */
  readonly isOfRecipient: boolean;
  /** True: there was no response, so the server may have accepted the email. */
  readonly mayArrive: boolean;

  constructor(host: string, error: unknown) {
    super(`the mail server at ${host} did not accept the email: ${reasonOf(error)}`);
    const { command, responseCode } = smtpError.parse(error);
    this.mayArrive = responseCode === undefined;
    this.isOfRecipient =
      (command === 'RCPT TO' || command === 'DATA') && responseCode !== undefined && responseCode >= 500;
  }
}

/** Properties of a nodemailer error: the SMTP command and the server's response to it. */
const smtpError = z.object({ command: z.string(), responseCode: z.number() }).partial().catch({});

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  if ('responseCode' in error) return `SMTP ${String(error.responseCode)}`;
  return error.message;
}
