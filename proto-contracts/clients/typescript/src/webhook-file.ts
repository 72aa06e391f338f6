import { readFileSync, writeFileSync } from 'node:fs';
import type { components } from './gen/schema.js';
import type { PartnerClient } from './partner-client.js';
import { ApiError } from './partner-error.js';

type Schemas = components['schemas'];

/** What a command on a file of webhooks ended with. The exit codes are those of `partnerctl plan`. */
export const EXIT_CODES = { ok: 0, failed: 1, differs: 5 } as const;

export interface WebhookFileOptions {
  readonly client: PartnerClient;
  /** Its address is also that of the console. */
  readonly baseUrl: string;
  /** `-` is standard input or output. */
  readonly file: string;
  readonly prune: boolean;
  readonly source: string | undefined;
  readonly print: (line: string) => void;
}

/** Writes the webhooks of the company to the file. */
export async function exportWebhooks({ client, file }: WebhookFileOptions): Promise<number> {
  const text = `${JSON.stringify(await client.GET('/automation/v1/webhook-file'), null, 2)}\n`;
  if (file === '-') process.stdout.write(text);
  else writeFileSync(file, text);
  return EXIT_CODES.ok;
}

/** Prints what the file would change. Returns `differs` if there is a difference. */
export function planWebhooks(options: WebhookFileOptions): Promise<number> {
  return compare(options, (body) => options.client.POST('/automation/v1/webhook-file/plan', { body }));
}

/** Does the same, and files it for an owner of the company, who confirms or rejects it in the console. */
export function proposeWebhooks(options: WebhookFileOptions): Promise<number> {
  const { client, source } = options;
  return compare(options, (body) =>
    client.POST('/automation/v1/webhook-proposals', {
      body: { ...body, ...(source !== undefined && { source }) },
    }),
  );
}

async function compare(
  { baseUrl, file, prune, print }: WebhookFileOptions,
  send: (body: Schemas['WebhookPlanIn']) => Promise<Schemas['WebhookPlan']>,
): Promise<number> {
  try {
    const { differences, unchanged, proposal } = await send({
      ...readWebhooks(file),
      ...(prune && { prune }),
    });
    for (const line of differences.flatMap(linesOf)) print(line.replaceAll(/\p{C}/gu, ' '));
    print(`${differences.length} different, ${unchanged} unchanged`);
    if (proposal !== null) {
      const until = proposal.state === 'pending' ? `, until ${proposal.expiresAt}` : '';
      print(`proposal: ${proposal.state}${until}, ${new URL(proposal.consolePath, baseUrl).href}`);
    }
    return differences.length === 0 ? EXIT_CODES.ok : EXIT_CODES.differs;
  } catch (error) {
    if (!(error instanceof ApiError) || error.violations.length === 0) throw error;
    for (const { path, message } of error.violations) print(`${file}: ${path}: ${message}`);
    return EXIT_CODES.failed;
  }
}

const SIGNS: Readonly<Record<string, string>> = { create: '+', change: '~', delete: '-', unlisted: '!' };

function linesOf({ kind, webhookId, description, changes, pauses }: Schemas['WebhookDifference']): string[] {
  const what = kind === 'unlisted' ? 'not in the file' : kind;
  return [
    [SIGNS[kind] ?? '?', what, ...(webhookId === null ? [] : [webhookId]), `"${description}"`].join(' '),
    ...changes.map(({ field, from, to }) => `    ${field}: ${[from, to].filter(isGiven).join(' -> ')}`),
    ...(pauses === true ? ['    this pauses it until the new URL is tested and it is activated'] : []),
  ];
}

function isGiven(value: string | null): value is string {
  return value !== null;
}

function readWebhooks(file: string): Pick<Schemas['WebhookPlanIn'], 'webhooks'> {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new TypeError(`${file} is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
  if (isFile(read)) return read;
  throw new TypeError(`${file} must be an object with the list "webhooks", as the export writes it`);
}

/** The service checks the rest. */
function isFile(read: unknown): read is Pick<Schemas['WebhookPlanIn'], 'webhooks'> {
  return typeof read === 'object' && read !== null && 'webhooks' in read && Array.isArray(read.webhooks);
}
