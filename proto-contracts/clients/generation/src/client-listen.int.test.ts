import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { runCommand } from '@partner/local-stack/run-command';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { type Receiver, startReceiver } from '@partner/test-kit/receiver';
import { installPython } from './python-client.js';
import { json, raw, refusal, type Respond, times } from './testing/scripted-service.js';

const CLIENTS = path.join(PROJECT_ROOT, 'proto-contracts/clients');
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const START = Date.parse('2026-08-26T14:00:00Z');

const python = await installPython();
/** The command of each language; that of Python only if it can be installed. */
const COMMANDS: readonly (readonly [string, ...string[]])[] = [
  [process.execPath, path.join(CLIENTS, 'typescript/dist/cli.js')],
  ...(python === undefined ? [] : [[python, '-m', 'partner_client'] as const]),
];

const servers: Receiver[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** Starts a server with these first responses, and then others. */
async function serve(first: readonly Respond[], then: Respond = raw(204, '')): Promise<Receiver> {
  const script = [...first];
  const server = await startReceiver({
    respond: (request, response) => (script.shift() ?? then)(response, request),
  });
  servers.push(server);
  return server;
}

/** An event of the feed that occurred some minutes after the start. */
function feedEvent(minute: number) {
  const envelope = { id: `evt_${minute}`, occurredAt: new Date(START + minute * 60_000).toISOString() };
  return {
    sequence: minute,
    headers: {
      ...{ 'x-svc-event': 'install.status_changed', 'webhook-id': envelope.id },
      ...{ 'x-svc-timestamp': '', 'x-svc-signature': '', 'webhook-timestamp': '', 'webhook-signature': '' },
    },
    // Written in a way in which no library would write it again.
    body: JSON.stringify({ ...envelope, note: 'café ☕' }, null, 3),
  };
}

/** Two of ten events in a page; a cursor is the number of events before it. The first three are there at the start. */
const page: Respond = (response, request) => {
  const query = new URL(request.path, 'http://service').searchParams;
  const start = query.get('from') === 'end' ? 3 : Number(query.get('cursor') ?? 0);
  const events = query.get('from') === 'end' ? [] : [feedEvent(start + 1), feedEvent(start + 2)];
  const end = start + events.length;
  json(200, { apiVersion: 'v', events, nextCursor: String(end), hasMore: end < 10 })(response, request);
};

/** No client waits as long within a call. */
const passing = (status: number) => refusal(status, 'x', {}, { 'retry-after': '100000' });

/** Runs a command to its end; an API key of null is missing. */
async function run(
  [program, ...args]: (typeof COMMANDS)[number],
  more: readonly string[],
  env: Readonly<Record<string, string>> = { PARTNER_API_KEY: 'key_a.b' },
) {
  const result = await runCommand(program, [...args, ...more], {
    cwd: path.join(CLIENTS, 'python'),
    env: { ...baseEnvironment(), PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1', ...env },
  });
  const lines = result.stdout.trim().split('\n');
  return { ...result, outcomes: lines.filter((line) => /->|waiting|no such/.test(line)) };
}

const at = ({ port }: Receiver) => `http://127.0.0.1:${port}`;
const listening = (service: Receiver, app: string) =>
  ['listen', '--url', at(service), '--secret', SECRET, '--forward', app] as const;

describe.each(COMMANDS.map((command) => [path.basename(command[0]), command] as const))(
  '%s',
  (_, command) => {
    test.concurrent('a listener forwards each new event as the dispatcher sends it, says why one failed, and goes on after failures that pass [CLIENT-18]', async () => {
      const service = await serve(
        [passing(429), refusal(401), page, passing(503), page, page, page, refusal(403, 'x')],
        page,
      );
      const app = await serve([
        raw(204, ''),
        raw(500, 'no\u001B[2J\ndatabase'),
        raw(307, '', { location: 'http://127.0.0.1:1/' }),
        (response) => response.destroy(),
        () => undefined,
      ]);
      const result = await run(command, [
        ...listening(service, `${at(app)}/hook?a=b`),
        '--event',
        'install.*',
      ]);
      expect([result.exitCode, result.stderr.trim()]).toEqual([1, 'partner-client: 403 x: no']);
      expect(result.outcomes).toEqual([
        expect.stringContaining('waiting for the service: 429 x: no'),
        expect.stringContaining('waiting for the service: 503 x: no'),
        expect.stringMatching(/install\.status_changed evt_4 -> 204 \(\d+ ms\)$/),
        expect.stringContaining('evt_5 -> 500: no [2J database'),
        expect.stringContaining('evt_6 -> 307: redirects are not followed'),
        expect.stringContaining('evt_7 -> the connection was closed without a response'),
        expect.stringContaining('evt_8 -> no complete response within 10 s'),
        expect.stringContaining('evt_9 -> 204'),
      ]);
      const asked = service.requests.map((request) => new URL(request.path, at(service)));
      expect(asked.map(({ pathname }) => pathname)).toEqual([
        ...times(2, '/partner/v1/events'),
        ...times(6, '/inbound/events'),
      ]);
      expect(Object.fromEntries(asked[3]?.searchParams ?? [])).toEqual({
        ...{ cursor: '3', limit: '100', event: 'install.*' },
      });
      expect(service.requests.map(({ headers }) => headers['x-svc-listen'])).toEqual(times(8, 'true'));

      const [sent] = app.requests;
      const timestamp = Number(sent?.headers['x-svc-timestamp']);
      const body = Buffer.from(feedEvent(4).body);
      const signed = { secret: SECRET, timestamp, eventId: 'evt_4', body };
      expect(sent).toMatchObject({ method: 'POST', path: '/hook?a=b', body });
      expect(sent?.headers).toMatchObject({
        ...{ 'content-type': 'application/json', 'user-agent': 'partner-integration-service-webhooks/1.0' },
        ...{ 'x-svc-event': 'install.status_changed', 'x-svc-number': '4', 'x-svc-secret-version': '1' },
        'x-svc-subscription-id': expect.stringMatching(/^whk_[0-9a-z]{26}$/),
        'x-svc-delivery-id': expect.stringMatching(/^dlv_[0-9a-hjkmnp-tv-z]{26}$/),
        'x-svc-signature': serviceSignature(signed),
        ...{ 'webhook-id': 'evt_4', 'webhook-timestamp': String(timestamp) },
        'webhook-signature': standardWebhooksSignature(signed),
      });
    });

    test.concurrent('a listener begins earlier, or sends the events with its ids once and ends [CLIENT-18]', async () => {
      const app = at(await serve([]));
      const closed = await startReceiver({});
      await closed.close();
      const ending = () => serve([...times(5, page), refusal(403)], page);
      const since = ['--since', new Date(START + 420_000).toISOString()];
      const refused = `connection refused: no server listens at 127.0.0.1:${closed.port}`;
      expect(await run(command, [...listening(await ending(), at(closed)), ...since])).toMatchObject({
        exitCode: 1,
        outcomes: [
          expect.stringContaining(`evt_7 -> ${refused}`),
          expect.stringContaining(`evt_8 -> ${refused}`),
        ],
      });
      const service = await serve([], page);
      const replay = ['--replay', 'evt_3', '--replay', 'evt_1'];
      expect(await run(command, [...listening(service, app), ...replay])).toMatchObject({
        exitCode: 0,
        outcomes: [expect.stringContaining('evt_1 -> 204'), expect.stringContaining('evt_3 -> 204')],
      });
      expect(await run(command, [...listening(service, app), '--replay', 'evt_99'])).toMatchObject({
        exitCode: 1,
        outcomes: ['evt_99: no such event among those that are kept'],
      });
    });

    test.concurrent('the command takes the key from the environment or a file, and forwards to this machine only [CLIENT-18]', async () => {
      const to = ['--forward', 'http://localhost:3000/hook'];
      const url = ['--url', 'http://127.0.0.1:1'];
      expect((await run(command, ['--help'])).exitCode).toBe(0);
      for (const [status, message, ...args] of [
        [2, 'set PARTNER_URL or --url', ...to],
        [2, /nknown option|unrecognized arguments/, ...to, ...url, '--api-key=key_a.b'],
        [2, 'must be on this machine, not 10.0.0.1', ...url, '--forward', 'http://10.0.0.1/'],
        ...['http://localhost:99999/', 'http://localhost:x/', 'localhost:3000', 'ftp://localhost/'].map(
          (bad) => [2, '--forward must be a URL such as', ...url, '--forward', bad] as const,
        ),
        [2, '--since must be a span such as 30m', ...to, ...url, '--since', 'soon'],
        [1, 'the secret has white space', ...to, ...url, '--secret', 'whsec_a b'],
        ...['whsec_', 'whsec_AAAAA', 'whsec_AAAA=', 'AAAA'].map(
          (bad) => [2, 'the secret must be', ...to, ...url, '--secret', bad] as const,
        ),
      ] as const) {
        const { exitCode, stderr } = await run(command, ['listen', ...args]);
        expect({ args, exitCode, stderr }).toEqual({
          args,
          exitCode: status,
          stderr: expect.stringMatching(message),
        });
      }
      const withoutKey = await run(command, ['listen', ...to, ...url], {});
      expect([withoutKey.exitCode, withoutKey.stderr]).toEqual([
        2,
        expect.stringContaining('set PARTNER_API_KEY or --api-key-file'),
      ]);
    });
  },
);
