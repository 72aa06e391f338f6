import { Command } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import type { Mailer } from '@partner/kernel/mail/mail';
import type { ChosenBroker } from './choose-broker.js';
import { wrongUsage } from './exit-codes.js';
import type { Output } from './output.js';
import type { Owned, Session } from './session.js';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly write: (text: string) => void;
  /** Writes a message that is not a result to standard error. */
  readonly tell: (text: string) => void;
  readonly isTerminal: boolean;
  readonly hasColors: boolean;
  readonly clear: () => void;
  readonly isWatched: boolean;
  readonly read: (file: string) => Promise<string>;
  /** Returns the login name. Throws if the system has none, e.g. in a container. */
  readonly loginName: () => string;
  readonly signal: AbortSignal;
}

export interface CommandContext extends Pick<Surroundings, 'write' | 'tell' | 'clear' | 'read' | 'signal'> {
  readonly output: Output;
  progress(text: string): void;
  session(): Promise<Session>;
  /** Calls an operation of the operators. */
  readonly call: Session['call'];
  /** A resource with its company. Fails with `not_found`. */
  about(id: string): Promise<Owned>;
  /** The broker of this run, and the local stack of the directory if that uses the same one. */
  broker(): ChosenBroker;
  mailer(): Mailer | undefined;
  publicBaseUrl(): string;
  setExitCode(code: number): void;
}

/** Creates a command or group of `partnerctl`: its name, what it is about, and {@link examples} for its help. */
export function topCommand(name: string, description: string, ...lines: readonly string[]) {
  return new Command(name).description(description).addHelpText('after', examples(name, lines));
}

/** Adds a command to its group: its name and arguments, what it does, and {@link examples} for its help. */
export function subcommand<const Usage extends string>(
  group: Command,
  usage: Usage,
  description: string,
  ...lines: readonly string[]
) {
  const added = group.command(usage);
  const called = `${group.name()} ${added.name()}`;
  return added.description(description).addHelpText('after', examples(called, lines));
}

export function examples(command: string, lines: readonly string[]): string {
  const called = lines.map((line) =>
    line.includes('partnerctl') ? line : ['partnerctl', command, line].filter(Boolean).join(' '),
  );
  return `\nExamples:\n${called.map((line) => `  $ ${line}\n`).join('')}`;
}

/**
 * Parses a comma-separated list. Refuses an empty one, so that an empty variable in a script cannot remove existing values. `what`
 * names the entries.
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

/** Parses a time: an instant such as `2026-08-26T14:00:00Z`, or a duration before now, e.g. `90m`, `24h`, `7d`. */
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

export function demandYes(yes: true | undefined, what: string): void {
  if (yes !== true) throw wrongUsage(`${what}; say --yes to do it`);
}

export async function readPages<T>(
  limit: number,
  page: (
    after: string | undefined,
    size: number,
  ) => Promise<{
    readonly entries: readonly T[];
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
