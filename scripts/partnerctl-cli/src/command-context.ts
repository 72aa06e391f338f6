import { InvalidArgumentError } from 'commander';
import type { Mailer } from '@partner/kernel/mail';
import type { StackDescription } from '@partner/local-stack/stack/stack-description';
import { OperatorError } from './exit-codes.js';
import type { Output } from './output.js';
import type { Session } from './session.js';

/** What a command works with. */
export interface CommandContext {
  /** Shows the result. Only to be asked for when a command runs. */
  output(): Output;
  /** Says something about the progress of long work, where someone watches. */
  progress(text: string): void;
  /** Says something that is no result, on standard error. */
  tell(text: string): void;
  /** Writes to standard output as it is: of what runs until it is ended. */
  write(text: string): void;
  /** Connects to the broker, once for a run. */
  session(): Promise<Session>;
  /** The local stack of the directory; undefined when none runs there, or when it is not behind the broker of this run. */
  stack(): StackDescription | undefined;
  /** Whether a local stack runs there that is not behind the broker of this run. */
  isStackLeftOut(): boolean;
  /** The mail server of `SMTP_URL`; undefined when it is not set. */
  mailer(): Mailer | undefined;
  /** Where the console is: `PUBLIC_BASE_URL`, else that of the local stack. */
  publicBaseUrl(): string;
  /** The text of a file, or of standard input for `-`. */
  read(file: string): Promise<string>;
  /** Ends long work. */
  readonly signal: AbortSignal;
  /** Has the run end with this exit code though no command has failed. */
  setExitCode(code: number): void;
}

/** The examples at the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join('')}`;
}

/**
 * Reads a list with commas. Refuses one without entries: an empty variable in a script must not take away what there is.
 * `what` says what the list holds.
 */
export function listOf(what: string): (text: string) => string[] {
  return (text) => {
    const entries = text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
    if (entries.length === 0) throw new InvalidArgumentError(`It must hold ${what}, with commas.`);
    return entries;
  };
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a time: an instant such as `2026-08-26T14:00:00Z`, or how long ago, e.g. `90m`, `24h`, `7d`. */
export function instant(text: string): Date {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS[unit ?? ''];
  if (count !== undefined && unitMs !== undefined) return new Date(Date.now() - Number(count) * unitMs);
  const parsed = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? new Date(text) : undefined;
  if (parsed === undefined || Number.isNaN(parsed.getTime()))
    throw new InvalidArgumentError(
      'It must be an instant such as 2026-08-26T14:00:00Z, or how long ago: 90m, 24h, 7d.',
    );
  return parsed;
}

/** Fails unless the operator has said `--yes`. */
export function demandYes(yes: true | undefined, what: string): void {
  if (yes !== true) throw new OperatorError('usage', `${what}; say --yes to do it`);
}

/** Reads pages until there are so many entries or no more. */
export async function readPages<T>(
  limit: number,
  page: (
    after: string | undefined,
    size: number,
  ) => Promise<{
    readonly entries: readonly T[];
    /** Where the next page goes on; null or undefined on the last one. */
    readonly next: string | null | undefined;
  }>,
): Promise<{ readonly entries: readonly T[]; readonly hasMore: boolean }> {
  const entries: T[] = [];
  let after: string | undefined;
  for (;;) {
    const size = Math.min(100, limit - entries.length);
    const found = await page(after, size);
    entries.push(...found.entries);
    if (found.next === null || found.next === undefined) return { entries, hasMore: false };
    if (entries.length >= limit) return { entries, hasMore: true };
    after = found.next;
  }
}
