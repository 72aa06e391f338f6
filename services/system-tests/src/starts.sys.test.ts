import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { type ServiceName, serviceSettings, simulatorSettings } from '@partner/local-stack/stack/services';
import { baseEnvironment, freePort } from '@partner/test-kit/backing-services/local-process';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { type ServerShare, takeServerShare } from '@partner/test-kit/backing-services/take-server-share';
import { eventually } from '@partner/test-kit/eventually';
import { startTcpProxy, type TcpProxy } from '@partner/test-kit/tcp-proxy';

const KEY = Buffer.from('a key of thirty-two bytes, 012345').subarray(0, 32).toString('base64');

type Settings = Readonly<Record<string, string>>;

let share: ServerShare;
let adminPort: number;
let httpPort: number;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  share = await takeServerShare();
  [adminPort, httpPort] = [await freePort(), await freePort()];
  const migrate = start('job-state/dist/migrate.js', { POSTGRES_URL: share.postgresUrl });
  expect(await migrate.ended).toBe(0);
});

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

afterAll(() => share.release());

/** Starts a program of the service as a process. */
function start(program: string, settings: Settings) {
  const child = spawn(process.execPath, [path.join(PROJECT_ROOT, 'services', program)], {
    env: { ...baseEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const ended = once(child, 'close').then(([code]: unknown[]) => {
    running.delete(child);
    return code;
  });
  return {
    ended,
    output: () => output,
    stop: () => child.kill('SIGTERM'),
    /** Resolves once a line says that it waits for something that contains a text, for a cause that contains another one. */
    waitsFor: (what: string, cause = '') =>
      eventually(
        () => `"${what}" in ${output}`,
        () => {
          if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output}`);
          return output
            .split('\n')
            .some(
              (line) => line.includes('"dependency.waiting"') && line.includes(what) && line.includes(cause),
            );
        },
      ),
  };
}

type Started = ReturnType<typeof start>;

const admin = async (pathname: string) =>
  (await fetch(`http://127.0.0.1:${adminPort}${pathname}`).catch(() => undefined))?.status;

function settingsOf(service: ServiceName): Settings {
  return serviceSettings(
    service,
    { admin: adminPort, http: httpPort },
    {
      ...share,
      ...{ redisKeyPrefix: 'partner:', baseUrl: `http://127.0.0.1:${httpPort}`, replicas: 1 },
      ...{ sealingKeys: `test:${KEY}`, cursorKey: KEY, sessionKeys: `test:${KEY}` },
      ...{ devHosts: '', devCaFile: '' },
    },
  );
}

const seed = () => ({ POSTGRES_URL: share.postgresUrl, PARTNER_ENVIRONMENT: 'sandbox' });

/** A program and a setting that names what it needs at its start. */
interface Need {
  readonly program: string;
  readonly settings: () => Settings;
  readonly variable: string;
  /** For a program that ends: what its output has at the end. Else it becomes ready. */
  readonly endsWith?: string;
}

const SERVICES: readonly (readonly [ServiceName, ...(readonly string[])])[] = [
  ['job-state', 'POSTGRES_URL', 'AMQP_URL'],
  ['inbound-gateway', 'AMQP_URL'],
  ['installer-gateway', 'AMQP_URL'],
  ['console', 'AMQP_URL', 'REDIS_URL'],
  ['webhook-dispatcher', 'AMQP_URL'],
];

const NEEDS: readonly Need[] = [
  ...SERVICES.flatMap(([service, ...variables]) =>
    variables.map((variable) => ({
      program: `${service}/dist/main.js`,
      settings: () => settingsOf(service),
      variable,
    })),
  ),
  {
    program: 'job-state/dist/simulate-sandbox.js',
    settings: () => simulatorSettings({ adminPort, movesPerMinute: 1 }, share),
    variable: 'AMQP_URL',
  },
  {
    program: 'job-state/dist/migrate.js',
    settings: () => ({ POSTGRES_URL: share.postgresUrl }),
    variable: 'POSTGRES_URL',
    endsWith: 'migration.nothing_to_do',
  },
  {
    program: 'job-state/dist/seed-sandbox.js',
    settings: seed,
    variable: 'POSTGRES_URL',
    endsWith: 'apiKey',
  },
];

const TITLES = NEEDS.map((need) => [need.program.replace('/dist', ''), need.variable, need] as const);

/** The settings of a program whose dependency is at another port of this machine. */
function at(port: number, { settings, variable }: Need): { readonly moved: Settings; readonly real: string } {
  const all = settings();
  const real = all[variable] ?? '';
  return { moved: { ...all, [variable]: Object.assign(new URL(real), { port: String(port) }).href }, real };
}

async function isAliveAndNotReady(program: Started, { endsWith }: Need): Promise<void> {
  if (endsWith !== undefined) return;
  expect([await admin('/livez'), await admin('/readyz')]).toEqual([200, 503]);
  expect(program.output()).not.toContain('service.start_failed');
}

async function succeeds(program: Started, { endsWith }: Need): Promise<void> {
  if (endsWith !== undefined) {
    expect(await program.ended).toBe(0);
    expect(program.output()).toContain(endsWith);
    return;
  }
  await eventually(program.output, async () => (await admin('/readyz')) === 200);
  program.stop();
  expect(await program.ended).toBe(0);
}

const afterConnections = async (proxy: TcpProxy, more: number) => {
  const behind = proxy.accepted() + more;
  await eventually('another attempt', () => proxy.accepted() >= behind);
};

test.each(TITLES)(
  '%s waits for %s while it is absent, refuses and hangs, and goes on once it responds',
  async (_program, _variable, need) => {
    const port = await freePort();
    const { moved, real } = at(port, need);
    const program = start(need.program, moved);
    await program.waitsFor(`:${port}`);
    await isAliveAndNotReady(program, need);

    const proxy = await startTcpProxy(real, port);
    try {
      proxy.leadTo();
      await afterConnections(proxy, 2);
      await isAliveAndNotReady(program, need);
      proxy.hold();
      await afterConnections(proxy, 1);
      await isAliveAndNotReady(program, need);
      // Also the attempt that has waited so far may succeed.
      proxy.leadTo(real);
      await succeeds(program, need);
      expect(program.output()).toContain('dependency.reached');
    } finally {
      await proxy.close();
    }
  },
  120_000,
);

test.each(TITLES)(
  '%s ends cleanly on SIGTERM while %s hangs',
  async (_program, _variable, need) => {
    const port = await freePort();
    const { moved, real } = at(port, need);
    const proxy = await startTcpProxy(real, port);
    try {
      proxy.hold();
      const program = start(need.program, moved);
      await program.waitsFor(`:${port}`);
      program.stop();
      expect(await program.ended).toBe(need.endsWith === undefined ? 0 : 1);
      expect(program.output()).toContain(
        need.endsWith === undefined ? '"clean":true' : 'ended by SIGTERM before it was done',
      );
    } finally {
      await proxy.close();
    }
  },
  120_000,
);

describe('a dependency that refuses the user', () => {
  const asUser = (url: string, username: string) => Object.assign(new URL(url), { username }).href;

  test.each(TITLES.filter(([, , { endsWith }]) => endsWith !== undefined))(
    'ends the job %s, %s, with one message',
    async (_program, _variable, { program, settings, variable }) => {
      const url = asUser(settings()[variable] ?? '', 'nobody');
      const job = start(program, { ...settings(), [variable]: url });
      expect(await job.ended).toBe(1);
      expect(job.output()).toMatch(/: Postgres refuses the connection: role "nobody" does not exist\n$/);
    },
  );

  test('keeps a service waiting, which says so, and goes on once the user is there', async () => {
    const role = `late_${httpPort}`;
    const settings = settingsOf('job-state');
    const service = start('job-state/dist/main.js', {
      ...settings,
      POSTGRES_URL: asUser(share.postgresUrl, role),
    });
    await service.waitsFor('Postgres', `Postgres refuses the connection: role \\"${role}\\" does not exist`);
    expect([await admin('/livez'), await admin('/readyz')]).toEqual([200, 503]);
    await withPostgres(share.postgresUrl, (client) => client.query(`create role ${role} login superuser`));
    try {
      await eventually(service.output, async () => (await admin('/readyz')) === 200);
      service.stop();
      expect(await service.ended).toBe(0);
    } finally {
      await withPostgres(share.postgresUrl, (client) => client.query(`drop role ${role}`));
    }
  });
});

test('no time limit of an idle transaction ends the seed, which hashes passwords between its statements', async () => {
  const own = await takeServerShare();
  try {
    const { postgresUrl: POSTGRES_URL } = own;
    expect(await start('job-state/dist/migrate.js', { POSTGRES_URL }).ended).toBe(0);
    await withPostgres(POSTGRES_URL, (client) =>
      client.query(
        `alter database ${new URL(POSTGRES_URL).pathname.slice(1)} set idle_in_transaction_session_timeout = 1`,
      ),
    );
    const job = start('job-state/dist/seed-sandbox.js', { ...seed(), POSTGRES_URL });
    expect([await job.ended, job.output()]).toEqual([0, expect.stringContaining('apiKey')]);
  } finally {
    await own.release();
  }
});

test('the console starts while the mail server and the identity provider hang, which only their uses need', async () => {
  const proxy = await startTcpProxy(share.redisUrl);
  proxy.hold();
  const { host } = new URL(proxy.url);
  const service = start('console/dist/main.js', {
    ...settingsOf('console'),
    ...{ SMTP_URL: `smtp://${host}`, MAIL_FROM: 'partner-api@service.example' },
    ...{ OIDC_ISSUER: `http://${host}`, OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'secret' },
  });
  await eventually(service.output, async () => (await admin('/readyz')) === 200);
  service.stop();
  expect(await service.ended).toBe(0);
  await proxy.close();
});
