import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { REFUSED_IPV4_RANGES } from './address-rules.js';
import { createEndpointGuard } from './endpoint-guard.js';

const PUBLIC = '93.184.215.14';
const guardWithAnswer = (...addresses: string[]) =>
  createEndpointGuard({ resolveHost: async () => addresses });
const guard = guardWithAnswer(PUBLIC);

/** Returns the cause of a refusal; undefined if the endpoint is admitted. */
async function refusal(url: string, asked = guard): Promise<string | undefined> {
  const verdict = await asked.admit(url);
  return verdict.admitted ? undefined : verdict.cause;
}

const admitted = [
  { url: 'https://hooks.example.com/svc', hostName: 'hooks.example.com' },
  { url: 'https://hooks.example.com', href: 'https://hooks.example.com/', hostName: 'hooks.example.com' },
  {
    url: 'https://hooks.example.com?a=b',
    href: 'https://hooks.example.com/?a=b',
    hostName: 'hooks.example.com',
  },
  { url: 'https://hooks.example.com/a?b=https://x.example/@y', hostName: 'hooks.example.com' },
  { url: 'https://hooks.example.com/a%2Fb%20c', hostName: 'hooks.example.com' },
  {
    url: 'HTTPS://HOOKS.EXAMPLE.COM/Svc',
    href: 'https://hooks.example.com/Svc',
    hostName: 'hooks.example.com',
  },
  {
    url: 'https://hooks.example.com:443/',
    href: 'https://hooks.example.com/',
    hostName: 'hooks.example.com',
  },
  {
    url: 'https://hooks.example.com./svc',
    href: 'https://hooks.example.com/svc',
    hostName: 'hooks.example.com',
  },
  {
    url: 'https://bücher.example.com/',
    href: 'https://xn--bcher-kva.example.com/',
    hostName: 'xn--bcher-kva.example.com',
  },
  { url: 'https://a-b.c-d.example.co.uk/x', hostName: 'a-b.c-d.example.co.uk' },
  { url: 'https://under_score.example.com/', hostName: 'under_score.example.com' },
  { url: 'https://localhost.example.com/', hostName: 'localhost.example.com' },
  { url: 'https://internal.example.com/', hostName: 'internal.example.com' },
  { url: 'https://my-local.example/', hostName: 'my-local.example' },
  { url: 'https://notlocalhost.notlocal/', hostName: 'notlocalhost.notlocal' },
  { url: 'https://8.8.8.8/hook', hostName: '8.8.8.8' },
  { url: 'https://[2606:4700:4700::1111]/hook', hostName: '2606:4700:4700::1111' },
  { url: `https://${'a'.repeat(63)}.example.com/`, hostName: `${'a'.repeat(63)}.example.com` },
  {
    url: `https://${`${'a'.repeat(63)}.`.repeat(3)}${'a'.repeat(61)}/`,
    hostName: `${`${'a'.repeat(63)}.`.repeat(3)}${'a'.repeat(61)}`,
  },
  {
    url: 'https://hooks.example.com:443',
    href: 'https://hooks.example.com/',
    hostName: 'hooks.example.com',
  },
  {
    url: 'https://hooks.example.com:0443/',
    href: 'https://hooks.example.com/',
    hostName: 'hooks.example.com',
  },
  { url: 'https://hooks.example.com:/', href: 'https://hooks.example.com/', hostName: 'hooks.example.com' },
  {
    url: 'https://hooks.example.com.:443/a',
    href: 'https://hooks.example.com/a',
    hostName: 'hooks.example.com',
  },
  { url: 'https://hooks。example。com/', href: 'https://hooks.example.com/', hostName: 'hooks.example.com' },
  { url: 'https://ｈooks.example.com/', href: 'https://hooks.example.com/', hostName: 'hooks.example.com' },
  { url: 'https://xn--bcher-kva.example.com/', hostName: 'xn--bcher-kva.example.com' },
  { url: 'https://localhost.xn--p1ai/', hostName: 'localhost.xn--p1ai' },
  { url: 'https://127.0.0.1.nip.example/', hostName: '127.0.0.1.nip.example' },
  { url: 'https://1.2.3.4.example.com/', hostName: '1.2.3.4.example.com' },
  { url: 'https://hooks.mylocal/', hostName: 'hooks.mylocal' },
  { url: 'https://svc.example.com/', hostName: 'svc.example.com' },
  { url: 'https://hooks.example.com//127.0.0.1/', hostName: 'hooks.example.com' },
  { url: 'https://hooks.example.com/@127.0.0.1/', hostName: 'hooks.example.com' },
  { url: 'https://hooks.example.com/?next=a@b', hostName: 'hooks.example.com' },
  { url: 'https://8.8.8.8:443/hook', href: 'https://8.8.8.8/hook', hostName: '8.8.8.8' },
  { url: 'https://8.8.8.8./hook', href: 'https://8.8.8.8/hook', hostName: '8.8.8.8' },
  {
    url: 'https://[2606:4700:4700:0:0:0:0:1111]:443/',
    href: 'https://[2606:4700:4700::1111]/',
    hostName: '2606:4700:4700::1111',
  },
];

test.each(admitted)('$url is admitted and normalised', async ({ url, href, hostName }) => {
  const verdict = await guard.admit(url);
  expect(verdict.admitted && verdict.endpoint.url.href).toBe(href ?? url);
  expect(verdict.admitted && verdict.endpoint.hostName).toBe(hostName);
});

test('a URL of 2048 characters is admitted and one more is refused', async () => {
  const base = 'https://hooks.example.com/';
  expect(await refusal(base.padEnd(2_048, 'x'))).toBeUndefined();
  expect(await refusal(base.padEnd(2_049, 'x'))).toBe('url');
  expect(await refusal(`${base}${'ü'.repeat(1_000)}`)).toBe('url');
  expect(await refusal(`${base}${'../'.repeat(1_000)}`)).toBe('url');
});

const refusedUrls: Readonly<Record<string, readonly string[]>> = {
  'another scheme': [
    'http://hooks.example.com/',
    'http://hooks.example.com:443/',
    'ftp://hooks.example.com/',
    'wss://hooks.example.com/',
    'javascript:alert(1)',
    'data:text/plain,hi',
    'file:///etc/passwd',
    'unix:/var/run/docker.sock',
    'blob:https://hooks.example.com/x',
    'view-source:https://hooks.example.com/',
    '//hooks.example.com/',
    'hooks.example.com',
  ],
  'nothing there': ['', 'https://', 'https:///', 'https://?', 'https://.', 'https://:443/'],
  'slashes that parsers make up': [
    'https:hooks.example.com/',
    'https:/hooks.example.com/',
    'https:///hooks.example.com/',
    'https:\\\\hooks.example.com/',
    'https:/\\hooks.example.com/',
  ],
  'another port': [
    'https://hooks.example.com:0/',
    'https://hooks.example.com:80/',
    'https://hooks.example.com:8443/',
    'https://hooks.example.com:4430/',
    'https://hooks.example.com:65536/',
    'https://hooks.example.com:-1/',
    'https://hooks.example.com:443abc/',
    'https://[2606:4700:4700::1111]:8443/',
    'https://8.8.8.8:22/',
    'https://hooks.example.com:4433/',
    'https://hooks.example.com:00/',
    'https://hooks.example.com:+443/',
    'https://hooks.example.com:443:443/',
    'https://hooks.example.com:443.0/',
    'https://hooks.example.com:0x1bb/',
    'https://hooks.example.com:４４３/',
    'https://hooks.example.com：443/',
    'https://hooks.example.com:65979/',
    'https://hooks.example.com:4294967739/',
    'https://hooks.example.com:https/',
  ],
  credentials: [
    'https://user:pass@hooks.example.com/',
    'https://user@hooks.example.com/',
    'https://:pass@hooks.example.com/',
    'https://@hooks.example.com/',
    'https://:@hooks.example.com/',
    'https://hooks.example.com%2f@127.0.0.1/',
    'https://hooks.example.com:443@127.0.0.1/',
    'https://hooks.example.com\\@127.0.0.1/',
    'https://hooks.example.com#@127.0.0.1/',
    'https://hooks.example.com&@127.0.0.1/',
    'https://hooks.example.com?@127.0.0.1/',
    'https://hooks.example.com:443?x@127.0.0.1',
    'https://hooks.example.com＠127.0.0.1/',
    'https://a@b@hooks.example.com/',
    'https://hooks.example.com:x@127.0.0.1:443/',
    'https://%40hooks.example.com/',
  ],
  'a fragment': [
    'https://hooks.example.com/#',
    'https://hooks.example.com/a#b',
    'https://hooks.example.com#a',
  ],
  'control characters and spaces': [
    'https://hooks.example.com\r\nHost: evil/',
    'https://hooks.exam\tple.com/',
    'https://hooks.example.com/a\nb',
    ' https://hooks.example.com/',
    'https://hooks.example.com/ ',
    'https://hooks.example.com/a b',
    'https://exa mple.com/',
    'https://hooks.example.com/\u0000',
    'https://hooks.example.com/\u007f',
    'https://hooks.example.com/\u00a0',
    'https://hooks.example.com/\u2028',
    '\ufeffhttps://hooks.example.com/',
    'https\n://hooks.example.com/',
    'https:/\t/hooks.example.com/',
    'https://hooks.example.com:4\n43/',
    'https://hooks.exam\u00adple.com/',
    'https://local\u00adhost/',
    'https://127.0.0.1\u200b/',
    'https://hooks.example.com\u200b/',
    'https://hooks.example.com/\u202e',
    'https://hooks.example.com/\ud800',
    'https://hooks.example.com\u3000/',
  ],
  'an IPv4 address in other than four decimal parts, even a public one': [
    'https://127.1/',
    'https://127.0.1/',
    'https://0x7f.0.0.1/',
    'https://0x7F.0x0.0x0.0x1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://①②⑦.⓪.⓪.①/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://0/',
    'https://0x/',
    'https://10.1/',
    'https://192.168.1/',
    'https://2852039166/',
    'https://0251.0376.0251.0376/',
    'https://0xa9fea9fe/',
    'https://4294967295/',
    'https://127.1:443/',
    'https://127.1?x',
    'https://127。1/',
    'https://1²7.0.0.1/',
    'https://134744072/',
    'https://0x8.8.8.8/',
    'https://010.8.8.8/',
    'https://8.8.2056/',
    'https://８.８.８.８/',
    'https://8。8.8.8/',
    'https://010.0.0.1/',
    'https://00000010.0.0.1/',
  ],
  'escapes in the host': [
    'https://hooks%2eexample.com/',
    'https://%31%32%37.0.0.1/',
    'https://127%2e0%2e0%2e1/',
  ],
  'names of a machine or a private network': [
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://foo.localhost/',
    'https://foo.localhost./',
    'https://ip6-localhost/',
    'https://localhost.localdomain/',
    'https://metadata.google.internal/computeMetadata/v1/',
    'https://metadata/',
    'https://metadata.goog/',
    'https://instance-data/',
    'https://kubernetes.default.svc/',
    'https://kubernetes.default.svc.cluster.local/',
    'https://rabbitmq/',
    'https://postgres:443/',
    'https://printer.local/',
    'https://db.internal/',
    'https://host.docker.internal/',
    'https://nas.home.arpa/',
    'https://1.0.0.10.in-addr.arpa/',
    'https://ipv4only.arpa/',
    'https://localhost4.localdomain4/',
    'https://localhost6.localdomain6/',
    'https://kubernetes.default/',
    'https://metadata.google.internal./',
    'https://Metadata.Google.Internal:443/',
    'https://foo.local。/',
    'https://ＬＯＣＡＬＨＯＳＴ/',
    'https://foo.ｌｏｃａｌｈｏｓｔ/',
    'https://kubernetes.default.ſvc/',
    'https://router.lan/',
    'https://wiki.corp/',
    'https://tv.home/',
    'https://wiki.intranet/',
    'https://db.private/',
    'https://x.metadata.goog/',
    'https://com/',
    'https://ip6-loopback/',
    'https://broadcasthost/',
  ],
  'names that are none': [
    'https://.example.com/',
    'https://example..com/',
    'https://hooks.example.com../',
    'https://-a.example.com/',
    'https://a-.example.com/',
    `https://${'a'.repeat(64)}.example.com/`,
    `https://${`${'a'.repeat(60)}.`.repeat(5)}com/`,
    'https://exa*mple.com/',
    'https://exa<mple.com/',
    'https://xn--/',
    'https://1.2.3.256/',
    'https://127.0.0.256/',
    'https://[::1/',
    'https://[127.0.0.1]/',
    'https://[fe80::1%25eth0]/',
    'https://[::ffff:1.2.3]/',
    'https://[fe80::1%eth0]/',
    'https://[2606:4700:4700::1111%25eth0]/',
    'https://[8.8.8.8]/',
    'https://[]/',
    'https://[v1.fe80::a+en1]/',
    'https://[2606:4700:4700::1111].example.com/',
    'https://[2606:4700:4700::1111/',
    'https://2606:4700:4700::1111/',
    'https://[2606:4700:4700:::1111]/',
    'https://[1:2:3:4:5:6:7:8:9]/',
    'https://1.2.3.4.5/',
    'https://08.8.8.8/',
    'https://example.123/',
    'https://example.0x1/',
    'https://hooks.example.com。。/',
    'https://../',
    'https://example.com-/',
    'https://xn--a/',
    'https://xn--.example.com/',
    `https://${'ü'.repeat(60)}.example.com/`,
    `https://${`${'a'.repeat(63)}.`.repeat(3)}${'a'.repeat(62)}/`,
    'https://hooks.example.com;a/',
    'https://hooks.example.com,elsewhere.example/',
    'https://hooks.example.com&x/',
    'https://hooks.example.com!/',
    "https://hooks'.example.com/",
    'https://hooks.example.com／path',
    'https://hooks.example.com？x',
    'https://hooks.example.com＃x/',
    'https://hooks.example.com％2f/',
    'https://℀.example/',
    'https://ho\u202eoks.example.com/',
  ],
};

test.each(Object.entries(refusedUrls).flatMap(([what, urls]) => urls.map((url) => ({ what, url }))))(
  '$what: $url is refused before anything is looked up [URL-1]',
  async ({ url }) => {
    const neverAsked = createEndpointGuard({
      resolveHost: async () => {
        throw new Error('looked up');
      },
    });
    expect(await refusal(url, neverAsked)).toBe('url');
  },
);

test.each([
  'https://127.0.0.1/',
  'https://127.0.0.1:443/',
  'https://127.0.0.1./',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://172.31.255.255/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.100.100.200/',
  'https://168.63.129.16/',
  'https://192.0.0.192/',
  'https://224.0.0.1/',
  'https://[::]/',
  'https://[::1]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::ffff:169.254.169.254]/',
  'https://[::ffff:0:127.0.0.1]/',
  'https://[64:ff9b::169.254.169.254]/',
  'https://[64:ff9b:1::a00:1]/',
  'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:db8::1]/',
  'https://[3fff::1]/',
  'https://[fd00:ec2::254]/',
  'https://[fc00::1]/',
  'https://[fe80::1]/',
  'https://[ff02::1]/',
  'https://[::7f00:1]/',
  'https://[::8.8.8.8]/',
  'https://[0000:0000:0000:0000:0000:ffff:7f00:0001]/',
  'https://[::FFFF:127.0.0.1]:443/',
  'https://[64:ff9b::8.8.8.8]/',
  'https://[100::1]/',
  'https://[100:0:0:1::1]/',
  'https://[2001:20::1]/',
  'https://[5f00::1]/',
  'https://[fec0::1]/',
  'https://[4000::1]/',
])('the address in %s is refused', async (url) => {
  expect(await refusal(url)).toBe('address');
});

describe('an address of a refused range', () => {
  const inRange = fc
    .tuple(fc.constantFrom(...REFUSED_IPV4_RANGES), fc.nat({ max: 0xffff_ffff }))
    .map(([range, random]) => {
      const [network = '', bits = '32'] = range.split('/');
      const hostMask = 2 ** (32 - Number(bits)) - 1;
      const first = network.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
      return first + (random & hostMask ? (random >>> 0) % (hostMask + 1) : 0);
    });
  const octets = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
  const notations: readonly ((address: number) => string)[] = [
    (address) => octets(address).join('.'),
    (address) => `${octets(address).join('.')}.`,
    (address) => String(address),
    (address) => `0x${address.toString(16)}`,
    (address) => `0${address.toString(8)}`,
    (address) =>
      octets(address)
        .map((octet) => `0${octet.toString(8)}`)
        .join('.'),
    (address) =>
      octets(address)
        .map((octet) => `0x${octet.toString(16)}`)
        .join('.'),
    (address) => `${(address >>> 24) & 0xff}.${address & 0xff_ffff}`,
    (address) => octets(address).join('。'),
    (address) => `[::ffff:${octets(address).join('.')}]`,
    (address) => `[64:ff9b::${octets(address).join('.')}]`,
  ];

  test('is refused in every notation of it', async () => {
    await fc.assert(
      fc.asyncProperty(inRange, fc.constantFrom(...notations), async (address, notation) => {
        expect(await refusal(`https://${notation(address)}/hook`)).toBeDefined();
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a name', () => {
  test.each([
    ['loopback', ['127.0.0.1']],
    ['loopback of both families', ['127.0.0.1', '::1']],
    ['metadata', ['169.254.169.254']],
    ['a private address', ['10.1.2.3']],
    ['carrier space', ['100.64.1.1']],
    ['this host', ['0.0.0.0']],
    ['a unique local address', ['fd12:3456::1']],
    ['a mapped private address', ['::ffff:10.0.0.1']],
    ['NAT64 of a private address', ['64:ff9b::a00:1']],
    ['a cloud control plane', ['168.63.129.16']],
    ['broadcast', ['255.255.255.255']],
    ['a public and a private address', [PUBLIC, '10.0.0.5']],
    ['a private and a public address', ['10.0.0.5', PUBLIC]],
    ['a public address and loopback over IPv6', [PUBLIC, '::1']],
    ['many public addresses and a private one', [...Array(50).fill(PUBLIC).map(String), '192.168.0.1']],
    ['what is no address', ['not-an-address']],
  ])('that resolves to %s is refused [URL-2, URL-3]', async (_what, addresses) => {
    expect(await refusal('https://hooks.example.com/', guardWithAnswer(...addresses))).toBe('address');
  });

  test('without an address is refused', async () => {
    expect(await refusal('https://nx.example.com/', guardWithAnswer())).toBe('no_address');
  });

  test('that cannot be resolved is refused', async () => {
    const failing = createEndpointGuard({ resolveHost: () => Promise.reject(new Error('SERVFAIL')) });
    expect(await refusal('https://hooks.example.com/', failing)).toBe('lookup_failed');
  });

  test('is resolved once per check and admitted with exactly the vetted addresses [URL-3]', async () => {
    const asked: string[] = [];
    const counting = createEndpointGuard({
      resolveHost: async (name) => {
        asked.push(name);
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
    expect(asked).toEqual(['hooks.example.com', 'hooks.example.com']);
  });

  test('that was admitted is refused as soon as it resolves to a private address', async () => {
    const answers = [[PUBLIC], ['169.254.169.254']];
    const rebinding = createEndpointGuard({ resolveHost: async () => answers.shift() ?? [] });
    expect(await refusal('https://rebind.example.com/', rebinding)).toBeUndefined();
    expect(await refusal('https://rebind.example.com/', rebinding)).toBe('address');
  });
});

test("an address is not resolved and is the connection's target", async () => {
  const verdict = await guardWithAnswer('10.0.0.1').admit('https://[::ffff:8.8.8.8]/hook');
  expect(verdict.admitted && verdict.endpoint.targets).toEqual([{ address: '8.8.8.8', port: 443 }]);
  expect(verdict.admitted && verdict.endpoint.lookupMs).toBeUndefined();
});

describe('a development host', () => {
  const target = { address: '127.0.0.1', port: 9443 };
  const withDevHost = createEndpointGuard({
    resolveHost: async () => [],
    devHosts: new Map([['receiver.partner.test', target]]),
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
