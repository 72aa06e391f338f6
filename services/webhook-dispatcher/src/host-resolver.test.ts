import { afterEach, expect, test } from '@jest/globals';
import { createEndpointGuard } from './endpoint-guard.js';
import { createHostResolver } from './host-resolver.js';
import {
  addressRecords,
  type DnsQuestion,
  type DnsReply,
  startDnsServer,
  type TestDnsServer,
} from './testing/dns-server.js';

const servers: TestDnsServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function resolverAsking(reply: (question: DnsQuestion) => DnsReply) {
  const server = await startDnsServer(reply);
  servers.push(server);
  const resolveHost = createHostResolver({ servers: [server.server], timeoutMs: 100, limitMs: 500 });
  return { resolveHost, guard: createEndpointGuard({ resolveHost }), questions: server.questions };
}

test('a lookup gives every address of both families, IPv4 first', async () => {
  const { resolveHost, questions } = await resolverAsking((question) =>
    addressRecords(question, ['2606:4700:4700::1111', '93.184.215.14', '93.184.215.15']),
  );
  expect(await resolveHost('hooks.example.com')).toEqual([
    '93.184.215.14',
    '93.184.215.15',
    '2606:4700:4700::1111',
  ]);
  expect(questions.map(({ type }) => type).sort()).toEqual(['A', 'AAAA']);
});

test('a name with addresses of one family only resolves to them', async () => {
  const { resolveHost } = await resolverAsking((question) =>
    addressRecords(question, ['2606:4700:4700::1111']),
  );
  expect(await resolveHost('hooks.example.com')).toEqual(['2606:4700:4700::1111']);
});

test('an alias resolves to the addresses at its end, and they are vetted', async () => {
  const { resolveHost, guard } = await resolverAsking((question) => ({
    kind: 'records',
    records: [
      { type: 'CNAME', name: question.name, ttl: 60, data: 'metadata.cloud.example' },
      ...(question.type === 'A'
        ? [{ type: 'A' as const, name: 'metadata.cloud.example', ttl: 60, data: '169.254.169.254' }]
        : []),
    ],
  }));
  expect(await resolveHost('alias.example.com')).toEqual(['169.254.169.254']);
  expect(await guard.admit('https://alias.example.com/')).toEqual({ admitted: false, cause: 'address' });
});

test('a mixed answer refuses the endpoint, whichever family the bad address is of', async () => {
  const answers: Record<string, string[]> = {
    'mixed-a.example.com': ['93.184.215.14', '10.0.0.5'],
    'mixed-aaaa.example.com': ['93.184.215.14', '::1'],
  };
  const { guard } = await resolverAsking((question) =>
    addressRecords(question, answers[question.name] ?? []),
  );
  expect(await guard.admit('https://mixed-a.example.com/')).toEqual({ admitted: false, cause: 'address' });
  expect(await guard.admit('https://mixed-aaaa.example.com/')).toEqual({ admitted: false, cause: 'address' });
});

test('a name that does not exist has no addresses', async () => {
  const { resolveHost, guard } = await resolverAsking(() => ({ kind: 'no_such_name' }));
  expect(await resolveHost('nx.example.com')).toEqual([]);
  expect(await guard.admit('https://nx.example.com/')).toEqual({ admitted: false, cause: 'no_address' });
});

test('a name without records has no addresses', async () => {
  const { resolveHost } = await resolverAsking(() => ({ kind: 'records', records: [] }));
  expect(await resolveHost('empty.example.com')).toEqual([]);
});

test.each(['server_failure', 'silent'] as const)('a lookup throws when the server says %s', async (kind) => {
  const { resolveHost, guard } = await resolverAsking(() => ({ kind }));
  await expect(resolveHost('hooks.example.com')).rejects.toThrow();
  expect(await guard.admit('https://hooks.example.com/')).toEqual({
    admitted: false,
    cause: 'lookup_failed',
  });
});

test('a family that the server does not answer for leaves the other one usable', async () => {
  const { resolveHost } = await resolverAsking((question) =>
    question.type === 'AAAA' ? { kind: 'silent' } : addressRecords(question, ['93.184.215.14']),
  );
  expect(await resolveHost('hooks.example.com')).toEqual(['93.184.215.14']);
});

test('a name is asked for anew each time, whatever its time to live', async () => {
  const answers = ['93.184.215.14', '169.254.169.254'];
  let lookups = 0;
  const { guard, questions } = await resolverAsking((question) => {
    if (question.type === 'AAAA') return { kind: 'records', records: [] };
    const answer = answers[lookups] ?? '';
    lookups += 1;
    return addressRecords(question, [answer]);
  });
  const first = await guard.admit('https://rebind.example.com/');
  expect(first.admitted).toBe(true);
  expect(await guard.admit('https://rebind.example.com/')).toEqual({ admitted: false, cause: 'address' });
  expect(questions).toHaveLength(4);
});
