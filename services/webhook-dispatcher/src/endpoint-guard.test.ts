import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { createEndpointGuard } from './endpoint-guard.js';
import { ODD_URLS, REFUSED_URLS, words } from './testing/refused-urls.js';

const PUBLIC = '93.184.215.14';
const guardResolving = (...addresses: string[]) =>
  createEndpointGuard({ resolveHost: async () => addresses });
const guard = guardResolving(PUBLIC);

/** Returns the cause of a refusal; undefined if the endpoint is admitted. */
async function refusal(url: string, checked = guard): Promise<string | undefined> {
  const verdict = await checked.admit(url);
  return verdict.admitted ? undefined : verdict.cause;
}

/** URLs that are stored as they are given. */
const KEPT = [
  ...words(`https://hooks.example.com/svc https://hooks.example.com/a?b=https://x.example/@y
    https://hooks.example.com/a%2Fb%20c https://a-b.c-d.example.co.uk/x https://under_score.example.com/
    https://localhost.example.com/ https://internal.example.com/ https://my-local.example/
    https://notlocalhost.notlocal/ https://8.8.8.8/hook https://[2606:4700:4700::1111]/hook
    https://xn--bcher-kva.example.com/ https://localhost.xn--p1ai/ https://127.0.0.1.nip.example/
    https://1.2.3.4.example.com/ https://hooks.mylocal/ https://svc.example.com/
    https://hooks.example.com//127.0.0.1/ https://hooks.example.com/@127.0.0.1/
    https://hooks.example.com/?next=a@b`),
  `https://${'a'.repeat(63)}.example.com/`,
  `https://${`${'a'.repeat(63)}.`.repeat(3)}${'a'.repeat(61)}/`,
  // Path and query stay byte for byte, also where `URL` would rewrite them.
  ...words(`/a?t=~!*()' /a? /? /a^b|c\`d{e}"<f> /a?b^c|d\`e{f}"<g> /a/../b/./c//.. /%2e%2E/%c3%A9/%zz/%
    /a;v=1/[x]?x[]=1&x[]=2 /a?=&&b=?c/../d /a+b%20c?d+e=%2B`).map(
    (target) => `https://hooks.example.com${target}`,
  ),
];

/** Other admitted URLs, and how they are stored. */
const REWRITTEN = [
  ['https://hooks.example.com', 'https://hooks.example.com/'],
  ['https://hooks.example.com?a=b', 'https://hooks.example.com/?a=b'],
  ['HTTPS://HOOKS.EXAMPLE.COM/Svc', 'https://hooks.example.com/Svc'],
  ['https://hooks.example.com:443/', 'https://hooks.example.com/'],
  ['https://hooks.example.com:443', 'https://hooks.example.com/'],
  ['https://hooks.example.com:0443/', 'https://hooks.example.com/'],
  ['https://hooks.example.com:/', 'https://hooks.example.com/'],
  ['https://hooks.example.com./svc', 'https://hooks.example.com/svc'],
  ['https://hooks.example.com.:443/a', 'https://hooks.example.com/a'],
  ['https://bücher.example.com/', 'https://xn--bcher-kva.example.com/'],
  ['https://hooks。example。com/', 'https://hooks.example.com/'],
  ['https://ｈooks.example.com/', 'https://hooks.example.com/'],
  ['https://8.8.8.8:443/hook', 'https://8.8.8.8/hook'],
  ['https://8.8.8.8./hook', 'https://8.8.8.8/hook'],
  ["https://hooks.example.com?a='/../", "https://hooks.example.com/?a='/../"],
  ['HTTPS://Hooks.Example.com.:443/..', 'https://hooks.example.com/..'],
  ['https://hooks.example.com/é/../ß?ü=😀', 'https://hooks.example.com/%C3%A9/../%C3%9F?%C3%BC=%F0%9F%98%80'],
  ['https://[2606:4700:4700:0:0:0:0:1111]:443/', 'https://[2606:4700:4700::1111]/'],
] as const;

test.each([...KEPT.map((url) => [url, url] as const), ...REWRITTEN])(
  '%s is admitted, and stored as it is sent: %s [URL-4]',
  async (url, href) => {
    const hostName = /^https:\/\/\[?([^/\]]+)/.exec(href)?.[1];
    for (const given of [url, href])
      expect(await guard.admit(given)).toMatchObject({
        admitted: true,
        endpoint: { url: { text: href }, hostName },
      });
  },
);

test('what is dialled is the host of the URL that is registered, stored and sent [URL-4]', async () => {
  const parts = fc.constantFrom(
    ...[
      ...'hooks.example.com 127.0.0.1 10.1 [::1] evil.example user 443'.split(' '),
      'é',
      '。',
      '％',
      '%2f',
      '%40',
    ],
    ...'/\\?#@:;.&=|^`{}"\'<>%+~! \t\n\u200b'.split(''),
  );
  const text = fc.array(parts, { minLength: 1, maxLength: 8 }).map((all) => `https://${all.join('')}`);
  await fc.assert(
    fc.asyncProperty(text, async (registered) => {
      const verdict = await guard.admit(registered);
      if (!verdict.admitted) return;
      const { url, hostName } = verdict.endpoint;
      const plain = (host: string) => host.replace(/^\[|\]$|\.$/g, '');
      expect(plain(new URL(registered).hostname)).toBe(hostName);
      expect(plain(new URL(url.text).hostname)).toBe(hostName);
      expect(plain(url.host)).toBe(hostName);
      expect(url.target).toMatch(/^\/[\x21-\x7e]*$/);
    }),
    { numRuns: 5_000 },
  );
});

test('a URL of 2048 characters is admitted and one more is refused', async () => {
  const base = 'https://hooks.example.com/';
  expect(await refusal(base.padEnd(2_048, 'x'))).toBeUndefined();
  expect(await refusal(base.padEnd(2_049, 'x'))).toBe('url');
  expect(await refusal(`${base}${'ü'.repeat(1_000)}`)).toBe('url');
  expect(await refusal(`${base}${'../'.repeat(1_000)}`)).toBe('url');
});

const unused = createEndpointGuard({
  resolveHost: async () => {
    throw new Error('looked up');
  },
});

test.each(Object.entries(REFUSED_URLS))(
  'a URL with %s is refused before any lookup [URL-1]',
  async (_what, urls) => {
    await fc.assert(
      fc.asyncProperty(urls, async (url) => {
        expect(await refusal(url, unused)).toBe('url');
      }),
      { numRuns: 400 },
    );
  },
);

test.each(ODD_URLS)('%s is refused before any lookup [URL-1]', async (url) => {
  expect(await refusal(url, unused)).toBe('url');
});

test.each(
  words(`https://127.0.0.1/ https://127.0.0.1:443/ https://169.254.169.254/latest/meta-data/ https://[::1]/
    https://[::ffff:127.0.0.1]/ https://[::FFFF:127.0.0.1]:443/ https://[64:ff9b::169.254.169.254]/
    https://[fd00:ec2::254]/ https://[4000::1]/`),
)('the address in %s is refused', async (url) => {
  expect(await refusal(url)).toBe('address');
});

describe('a name', () => {
  test.each([
    ['metadata', ['169.254.169.254']],
    ['a mapped private address', ['::ffff:10.0.0.1']],
    ['a public and a private address', [PUBLIC, '10.0.0.5']],
    ['a private and a public address', ['10.0.0.5', PUBLIC]],
    ['a public address and loopback over IPv6', [PUBLIC, '::1']],
    ['many public addresses and a private one', [...Array(50).fill(PUBLIC).map(String), '192.168.0.1']],
    ['text that is not an address', ['not-an-address']],
  ])('that resolves to %s is refused [URL-2, URL-3]', async (_what, addresses) => {
    expect(await refusal('https://hooks.example.com/', guardResolving(...addresses))).toBe('address');
  });

  test('without an address is refused', async () => {
    expect(await refusal('https://nx.example.com/', guardResolving())).toBe('no_address');
  });

  test('that cannot be resolved is refused', async () => {
    const failing = createEndpointGuard({ resolveHost: () => Promise.reject(new Error('SERVFAIL')) });
    expect(await refusal('https://hooks.example.com/', failing)).toBe('lookup_failed');
  });

  test('is resolved once per check and admitted with exactly the vetted addresses [URL-3]', async () => {
    const lookups: string[] = [];
    const counting = createEndpointGuard({
      resolveHost: async (name) => {
        lookups.push(name);
        return [PUBLIC, '2606:4700:4700::1111', '::ffff:1.1.1.1'];
      },
    });
    const verdict = await counting.admit('https://Hooks.Example.com./');
    expect(verdict.admitted && verdict.endpoint.targets).toEqual([
      { address: PUBLIC, port: 443 },
      { address: '2606:4700:4700::1111', port: 443 },
      { address: '1.1.1.1', port: 443 },
    ]);
    expect(verdict.admitted && verdict.endpoint.lookupMs).toBeGreaterThanOrEqual(0);
    await counting.admit('https://hooks.example.com/');
    expect(lookups).toEqual(['hooks.example.com', 'hooks.example.com']);
  });
});

test("an address is not resolved and is the connection's target", async () => {
  const verdict = await guardResolving('10.0.0.1').admit('https://[::ffff:8.8.8.8]/hook');
  expect(verdict.admitted && verdict.endpoint.targets).toEqual([{ address: '8.8.8.8', port: 443 }]);
  expect(verdict.admitted && verdict.endpoint.lookupMs).toBeUndefined();
});

describe('a development host', () => {
  const target = { address: '127.0.0.1', port: 9443 };
  const withDevHost = createEndpointGuard({
    resolveHost: async () => [],
    devHosts: new Map([
      ['receiver.partner.test', { host: '127.0.0.1', port: 9443 }],
      ['named.partner.test', { host: 'localhost', port: 9443 }],
      ['absent.partner.test', { host: 'absent.invalid', port: 9443 }],
    ]),
  });

  test('goes to a name of the system, by the address that it has now', async () => {
    const verdict = await withDevHost.admit('https://named.partner.test/hook');
    const address = expect.stringMatching(/^(127\.0\.0\.1|::1)$/);
    expect(verdict.admitted && verdict.endpoint.targets).toEqual([{ address, port: 9443 }]);
    await expect(withDevHost.admit('https://absent.partner.test/hook')).resolves.toEqual({
      admitted: false,
      cause: 'lookup_failed',
    });
  });

  test('goes to its target without a lookup', async () => {
    const verdict = await withDevHost.admit('https://receiver.partner.test/hook');
    expect(verdict.admitted && verdict.endpoint.targets).toEqual([target]);
    expect(verdict.admitted && verdict.endpoint.hostName).toBe('receiver.partner.test');
  });

  test.each([
    ['https://receiver.partner.test:9443/', 'url'],
    ['http://receiver.partner.test/', 'url'],
    ['https://user@receiver.partner.test/', 'url'],
    ['https://127.0.0.1/', 'address'],
    ['https://other.receiver.partner.test/', 'no_address'],
  ])('does not change the rules for %s', async (url, cause) => {
    expect(await refusal(url, withDevHost)).toBe(cause);
  });
});
