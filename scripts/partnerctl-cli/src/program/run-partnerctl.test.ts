import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { closeServer, listen } from '@partner/kernel/process/listen';
import type { Surroundings } from '../command-context.js';
import { aStack, withStack, inProcess } from '../testing/in-process.js';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

const partnerctl = (surroundings: Partial<Surroundings> = {}) =>
  inProcess({ env: { PARTNER_STACK_DIRECTORY: '/nonexistent' }, ...surroundings });

function all(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(all)];
}

function pathOf(command: CommandUnknownOpts): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

const commands = all(partnerctl().program).map((command) => [pathOf(command), command] as const);

test.each(commands)(
  'the help of %s has a description and examples of existing commands, and points to the global options',
  async (path, command) => {
    const { run, said, program } = partnerctl();
    await expect(run([...path.split(' ').slice(1), '--help'])).resolves.toBe(0);
    expect(command.description()).not.toBe('');
    expect(said.out).toContain('Examples:\n  $ ');
    expect(said.out).toContain('--json');
    expect(said.out.includes('--amqp-url')).toBe(command === program || path === 'partnerctl');
    expect(said.err).toBe('');
    const known = program.commands.flatMap((each) => [each.name(), ...each.aliases()]);
    for (const [, word] of said.out.matchAll(/partnerctl ([a-z][a-z-]*)/g)) expect(known).toContain(word);
  },
);

const assigned = (change: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify({ jobId: newId('job'), version: 1, installerCompanyId: newId('cmp'), ...change });
const publish = ['platform', 'publish', 'JobAssigned'];
const conformance = ['conformance', 'http://x', '--secret-file', 'a.txt'];

test.each<[args: readonly string[], exitCode: number, why: string, input?: string]>([
  [[], 2, 'Usage: partnerctl'],
  [['nonsense'], 2, "unknown command 'nonsense'"],
  [['companies'], 2, 'Usage: partnerctl companies'],
  [['companies', 'create', '--name', 'x'], 2, '--class'],
  [['companies', 'create', '--name', 'x', '--class', 'BANK'], 2, 'BANK'],
  [['companies', 'list', '--limit', '0'], 2, 'whole number'],
  [['status', 'too', 'much'], 2, 'too many arguments'],
  [['status', '--json', '--field', 'x'], 2, '--field'],
  [['platform', 'types', 'Nonsense'], 3, 'Nonsense'],
  [['platform', 'publish', 'JobCreated'], 2, 'JobCreated'],
  [['companies', 'list'], 4, 'give --amqp-url or AMQP_URL'],
  [['companies', 'list', '--amqp-url', 'http://127.0.0.1'], 2, 'amqp://'],
  [
    ['status', '--amqp-url', 'amqp://user:word@127.0.0.1:1/partner'],
    4,
    'cannot connect to the broker at 127.0.0.1:1/partner: ',
  ],
  [['conformance', 'ftp://x', '--secret-file', 'a.txt'], 2, 'http://'],
  [['conformance', 'http://x'], 2, '--secret-file'],
  [['dead-letters', 'requeue', 'job-state.platform-messages'], 2, 'give message ids, or --all'],
  [['platform', 'types'], 0, ''],
  // It is no request for the version of the program.
  [['companies', 'list', '--version'], 2, "unknown option '--version'"],
  [['--json', 'subscriptions', 'activate-secret', 'whk_1', '--version', '2'], 2, '--secret-version'],
  [['webhooks', 'activate-secret', 'whk_1', '--secret-version', '2', '--version', '2'], 2, 'unknown option'],
  [['companies', 'update', 'cmp_1', '--accounting', ''], 2, '--accounting'],
  [['companies', 'update', 'cmp_1', '--accounting', ','], 2, '--accounting'],
  [['companies', 'update', 'cmp_1', '--accounting', 'none,cmp_2'], 2, '"none" alone'],
  [['subscriptions', 'create', 'cmp_1', '--url', 'https://x', '--events', ''], 2, '--events'],
  [['webhooks', 'update', 'whk_1', '--rate', '0'], 2, '--rate'],
  [publish, 2, 'installerCompanyId job_1 is not an id', assigned({ installerCompanyId: 'job_1' })],
  [publish, 2, 'no installerCompanyId', assigned({ installerCompanyId: '' })],
  [[...publish, '--message-id', ''], 2, '--message-id must have 1 to 255 bytes', assigned()],
  [publish, 2, 'no installerCompanyId, version', '{"jobId":"job_1"}'],
  [publish, 2, 'this is not a JobAssigned', '[]'],
  [publish, 2, 'nonsense', assigned({ nonsense: true })],
  [conformance, 2, '--secret-file: a secret must be whsec_', 'whsec_short'],
  [
    ['conformance', 'http://x', '--secret-file', '-', '--next-secret-file', '-'],
    2,
    'only one of the two secrets can come from standard input',
    SECRET,
  ],
  [
    ['webhooks', 'update', 'whk_1', '--headers-file', '-'],
    2,
    '--headers-file: line 2 is not',
    'A: b\nwhsec_short',
  ],
  [['events', 'replay', 'whk_1'], 2, 'either --ids'],
  [['events', 'replay', 'whk_1', '--ids', 'evt_1', '--since', '24h'], 2, 'either --ids'],
  [['events', 'replay', 'whk_1', '--ids', 'evt_1', '--until', '1h'], 2, '--until belongs to --since'],
  [['events', 'replay', 'evt_1', '--ids', 'evt_1'], 2, 'and --ids evt_1'],
  [[...conformance, '--ca', '/nonexistent/ca.pem'], 2, '--ca cannot be read: Error: ENOENT', SECRET],
  [[...conformance, '--ca', '/dev/null'], 2, '--ca cannot be read: ', SECRET],
])('%j ends with %i: %s', async (args, exitCode, why, input = '{}') => {
  const { run, said } = partnerctl({ read: async () => input });
  await expect(run(args)).resolves.toBe(exitCode);
  expect(said.err).toContain(why);
  expect(said.err).not.toMatch(/whsec_short|:word/);
  if (exitCode === 0) return;
  expect(said.out).toBe('');
  expect(said.err).not.toBe('');
});

test('a login without a name is asked for one', async () => {
  const { run, said } = partnerctl({
    loginName: () => {
      throw new Error('uv_os_get_passwd returned ENOENT');
    },
  });
  const broker = ['--amqp-url', 'amqp://127.0.0.1:1'];
  await expect(run([...broker, 'companies', 'list'])).resolves.toBe(2);
  expect(said.err).toContain('--operator');
  await expect(run([...broker, '--operator', 'olga', 'companies', 'list'])).resolves.toBe(4);
});

test('a broker on another machine without TLS is refused in production', async () => {
  const { run, said } = inProcess({
    env: { PARTNER_ENVIRONMENT: 'production', AMQP_URL: 'amqp://user:word@broker.example' },
  });
  await expect(run(['status'])).resolves.toBe(2);
  expect(said.err).toMatch(/the address of the broker must use TLS in production.*ALLOW_PLAINTEXT/);
  expect(said.err).not.toContain('word');
});

test('the version is that of the project', async () => {
  const { run, said } = partnerctl();
  await expect(run(['--version'])).resolves.toBe(0);
  expect(said).toEqual({ out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: '' });
});

test('no command has an option that the program takes for its own', () => {
  const own = new Set(partnerctl().program.options.map(({ long }) => long));
  for (const [where, command] of commands.slice(1))
    expect([where, command.options.filter(({ long }) => own.has(long))]).toEqual([where, []]);
});

test('an interruption ends a command that waits for its input', async () => {
  const main = path.join(import.meta.dirname, 'main.js');
  const child = spawn(process.execPath, [main, 'platform', 'publish', 'JobCreated'], {
    stdio: ['pipe', 'inherit', 'pipe'],
  });
  const said = text(child.stderr);
  const ended = once(child, 'close').then(([code]: unknown[]) => code);
  // More than a pipe's buffer: once it is written, someone reads.
  await new Promise((resolve) => {
    child.stdin.write(' '.repeat(1_000_000), resolve);
  });
  child.kill('SIGINT');
  await expect(ended).resolves.toBe(130);
  await expect(said).resolves.toContain('interrupted');
});

test.each(['broker', 'service'])(
  'an interruption ends doctor, which waits for a %s, without a verdict',
  async (silent) => {
    const interruption = new AbortController();
    const server = createServer().on('connection', () => interruption.abort());
    const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'test' });
    const broker = `amqp://127.0.0.1:${silent === 'broker' ? port : 1}/partner`;
    const services = { console: { adminUrl: `http://127.0.0.1:${port}`, pid: 1 } };
    const { run, said } = partnerctl({ signal: interruption.signal });
    await withStack({ ...aStack(broker), services }, (directory) =>
      expect(run(['--directory', directory, 'doctor'])).resolves.toBe(130),
    );
    expect(said).toEqual({ out: '', err: 'partnerctl: interrupted\n' });
    server.closeAllConnections();
    await closeServer(server);
  },
);
