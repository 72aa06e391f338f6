import { afterEach, expect, test } from '@jest/globals';
import { createHostResolver } from './host-resolver.js';
import { addressRecords, type DnsQuestion, type DnsReply, startDnsServer } from './testing/dns-server.js';

const servers: { readonly close: () => Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Long enough that no query is retried while the machine stalls. */
const SLOW = { retryAfterMs: 30_000, limitMs: 60_000 };
/** For lookups that the test expects to fail. */
const FAST = { retryAfterMs: 100, limitMs: 500 };
/** Retries after a second, and leaves a stalled machine seconds for the response. */
const WITH_RETRY = { retryAfterMs: 1_000, limitMs: 60_000 };

async function resolverFor(reply: (question: DnsQuestion) => DnsReply, limits = SLOW) {
  const server = await startDnsServer(reply);
  servers.push(server);
  const resolveHost = createHostResolver({ servers: [server.server], ...limits });
  return { resolveHost, questions: server.questions };
}

test('a lookup returns every address of both families, IPv4 first', async () => {
  const { resolveHost, questions } = await resolverFor((question) =>
    addressRecords(question, ['2606:4700:4700::1111', '93.184.215.14', '93.184.215.15']),
  );
  expect(await resolveHost('hooks.example.com')).toEqual([
    '93.184.215.14',
    '93.184.215.15',
    '2606:4700:4700::1111',
  ]);
  expect(questions.map(({ type }) => type).sort()).toEqual(['A', 'AAAA']);
});

test('a name that does not exist has no addresses', async () => {
  const { resolveHost } = await resolverFor(() => ({ kind: 'no_such_name' }));
  expect(await resolveHost('nx.example.com')).toEqual([]);
});

test.each(['server_failure', 'silent', 'refused', 'garbage'] as const)(
  'a lookup throws for %s',
  async (kind) => {
    const { resolveHost } = await resolverFor(() => ({ kind }), FAST);
    await expect(resolveHost('hooks.example.com')).rejects.toThrow();
  },
);

test('a family without a response leaves the other one usable', async () => {
  const { resolveHost } = await resolverFor(
    (question) =>
      question.type === 'AAAA' ? { kind: 'silent' } : addressRecords(question, ['93.184.215.14']),
    WITH_RETRY,
  );
  expect(await resolveHost('hooks.example.com')).toEqual(['93.184.215.14']);
});

test('a lost query is retried', async () => {
  const lost = new Set<string>();
  const { resolveHost } = await resolverFor((question) => {
    if (lost.has(question.type)) return addressRecords(question, ['93.184.215.14', '2606:4700:4700::1111']);
    lost.add(question.type);
    return { kind: 'silent' };
  }, WITH_RETRY);
  expect(await resolveHost('hooks.example.com')).toEqual(['93.184.215.14', '2606:4700:4700::1111']);
});
