#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { endOfEvents, listen } from './listen.js';
import { isLoopback } from './loopback.js';
import { parsedUrl } from './parsed-url.js';
import { createPartnerClient } from './partner-client.js';
import { PartnerError } from './partner-error.js';
import { requireVisible } from './require-visible.js';
import { EXIT_CODES, exportWebhooks, planWebhooks, proposeWebhooks } from './webhook-file.js';

const USAGE = `Usage: partner-client listen --forward http://localhost:3000/hook
       partner-client webhooks export|plan|propose webhooks.json

listen sends each new event of your company to a server on this machine, as a webhook is sent.
webhooks writes your webhooks to a file, shows what the file would change, or proposes it to an owner, who confirms it in the console.
The API key is read from PARTNER_API_KEY; for webhooks it is one of kind automation.

  --forward <url>        where each event is sent; a server on this machine
  --url <url>            address of the service (default: PARTNER_URL)
  --api-key-file <file>  file with the API key, instead of PARTNER_API_KEY
  --secret <secret>      sign with this secret, whsec_… (default: a new one, which is printed)
  --secret-file <file>   the same, from a file
  --event <name>         only this event, or a group such as 'install.*'
  --since <time>         begin with events since then: 30m, 12h, 7d, or 2026-11-26T12:00:00Z
  --replay <id>          send the event with this id again, then exit; can be repeated
  --allow-remote         forward to a server on another machine too

  --prune                delete webhooks that the file does not have
  --exit-code            exit with 5 if the file differs from the webhooks
  --source <text>        where the file is from, for the owner: for example, a commit
`;

const OPTIONS = {
  forward: { type: 'string' },
  url: { type: 'string' },
  'api-key-file': { type: 'string' },
  secret: { type: 'string' },
  'secret-file': { type: 'string' },
  event: { type: 'string' },
  since: { type: 'string' },
  replay: { type: 'string', multiple: true },
  'allow-remote': { type: 'boolean' },
  prune: { type: 'boolean' },
  'exit-code': { type: 'boolean' },
  source: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** With base64 that every library decodes: in groups of four, the last one padded. */
const SECRET = /^whsec_(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const WEBHOOK_COMMANDS = new Map(
  Object.entries({ export: exportWebhooks, plan: planWebhooks, propose: proposeWebhooks }),
);

/** The command was used in a wrong way. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(args);
  if (values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [command, action = '', file, ...others] = positionals;
  const ofFile = command === 'webhooks' && others.length === 0 ? WEBHOOK_COMMANDS.get(action) : undefined;
  if (ofFile !== undefined && file !== undefined) {
    const { prune = false, source } = values;
    const status = await ofFile({ ...connect(values), file, prune, source, print });
    return status === EXIT_CODES.differs && values['exit-code'] !== true ? EXIT_CODES.ok : status;
  }
  if (positionals.length !== 1 || command !== 'listen')
    throw new UsageError(
      "the command is 'listen', or 'webhooks' with 'export', 'plan' or 'propose' and a file; --help lists its options",
    );
  const forward = targetOf(values.forward, values['allow-remote'] === true);
  const { client, baseUrl } = connect(values);
  const secret = secretOf(values.secret, values['secret-file']);
  const since = values.since === undefined ? undefined : instantOf(values.since);

  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const end = await endOfEvents(client, { signal: stop.signal, print });
  if (end === undefined) return 0;
  print(`forwarding the events of ${new URL(end.path, baseUrl).href} to ${forward.href}`);
  print(`signing secret: ${secret}`);
  const { event, replay } = values;
  const isFine = await listen({
    client,
    end,
    forward,
    secret,
    event,
    since,
    replay,
    signal: stop.signal,
    print,
  });
  return isFine || (replay ?? []).length === 0 ? 0 : 1;
}

function connect(values: ReturnType<typeof parse>['values']) {
  const baseUrl = values.url ?? process.env['PARTNER_URL'] ?? '';
  if (!/^https?:/.test(baseUrl) || parsedUrl(baseUrl) === undefined)
    throw new UsageError('set PARTNER_URL or --url to the address of the service');
  const keyFile = values['api-key-file'];
  const apiKey =
    keyFile === undefined ? process.env['PARTNER_API_KEY'] : readFileSync(keyFile, 'utf8').trim();
  if (apiKey === undefined) throw new UsageError('set PARTNER_API_KEY or --api-key-file');
  return { client: createPartnerClient({ baseUrl, apiKey }), baseUrl };
}

const print = (line: string) => void process.stdout.write(`${line}\n`);

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function targetOf(text: string | undefined, allowsRemote: boolean): URL {
  const target = parsedUrl(text ?? '');
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw new UsageError('--forward must be a URL such as http://localhost:3000/hook');
  if (!allowsRemote && !isLoopback(target.hostname))
    throw new UsageError(
      `--forward must be on this machine, not ${target.hostname}; --allow-remote permits others`,
    );
  return target;
}

function secretOf(text: string | undefined, file: string | undefined): string {
  if (text !== undefined && file !== undefined)
    throw new UsageError('--secret and --secret-file exclude each other');
  const secret = file === undefined ? text : readFileSync(file, 'utf8').trim();
  if (secret === undefined) return `whsec_${randomBytes(32).toString('base64')}`;
  requireVisible('the secret', secret);
  if (!SECRET.test(secret))
    throw new UsageError('the secret must be whsec_ followed by base64, as the console shows it');
  return secret;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function instantOf(text: string): Date {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const time = count === undefined ? Date.parse(text) : Date.now() - Number(count) * (UNIT_MS[unit] ?? 0);
  if (Number.isNaN(time))
    throw new UsageError('--since must be a span such as 30m, or a time such as 2026-11-26T12:00:00Z');
  return new Date(time);
}

main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    const isExpected =
      error instanceof UsageError || error instanceof PartnerError || error instanceof TypeError;
    const text = isExpected || (error instanceof Error && 'code' in error) ? error.message : String(error);
    process.stderr.write(`partner-client: ${text}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  },
);
