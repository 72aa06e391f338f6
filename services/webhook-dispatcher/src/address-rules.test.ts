import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import ipaddr from 'ipaddr.js';
import {
  publicAddress,
  PUBLIC_IPV6_RANGE,
  REFUSED_IPV4_RANGES,
  REFUSED_IPV6_RANGES,
} from './address-rules.js';

/** First and last address of each refused IPv4 range, and its public neighbours. */
const ipv4Edges = [
  { first: '0.0.0.0', last: '0.255.255.255', above: '1.0.0.0' },
  { below: '9.255.255.255', first: '10.0.0.0', last: '10.255.255.255', above: '11.0.0.0' },
  { below: '100.63.255.255', first: '100.64.0.0', last: '100.127.255.255', above: '100.128.0.0' },
  { below: '126.255.255.255', first: '127.0.0.0', last: '127.255.255.255', above: '128.0.0.0' },
  { below: '168.63.129.15', first: '168.63.129.16', last: '168.63.129.16', above: '168.63.129.17' },
  { below: '169.253.255.255', first: '169.254.0.0', last: '169.254.255.255', above: '169.255.0.0' },
  { below: '172.15.255.255', first: '172.16.0.0', last: '172.31.255.255', above: '172.32.0.0' },
  { below: '191.255.255.255', first: '192.0.0.0', last: '192.0.0.255', above: '192.0.1.0' },
  { below: '192.0.1.255', first: '192.0.2.0', last: '192.0.2.255', above: '192.0.3.0' },
  { below: '192.88.98.255', first: '192.88.99.0', last: '192.88.99.255', above: '192.88.100.0' },
  { below: '192.167.255.255', first: '192.168.0.0', last: '192.168.255.255', above: '192.169.0.0' },
  { below: '198.17.255.255', first: '198.18.0.0', last: '198.19.255.255', above: '198.20.0.0' },
  { below: '198.51.99.255', first: '198.51.100.0', last: '198.51.100.255', above: '198.51.101.0' },
  { below: '203.0.112.255', first: '203.0.113.0', last: '203.0.113.255', above: '203.0.114.0' },
  { below: '223.255.255.255', first: '224.0.0.0', last: '239.255.255.255' },
  { first: '240.0.0.0', last: '255.255.255.255' },
];

/** The same within the public IPv6 range, whose own ends are the first and the last address. */
const ipv6Edges = [
  { first: '::', last: '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', above: '2000::' },
  {
    below: '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    first: '2001::',
    last: '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    above: '2001:200::',
  },
  {
    below: '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    first: '2001:db8::',
    last: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    above: '2001:db9::',
  },
  {
    below: '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    first: '2002::',
    last: '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    above: '2003::',
  },
  {
    below: '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    first: '3fff::',
    last: '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    above: '3fff:1000::',
  },
  {
    below: '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    first: '4000::',
    last: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  },
];

function hexHalves(ipv4Address: string): readonly [string, string] {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4Address.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}

const mappedNotations: readonly ((ipv4Address: string) => string)[] = [
  (address) => `::ffff:${address}`,
  (address) => `::FFFF:${address}`,
  (address) => `::ffff:${hexHalves(address).join(':')}`,
  (address) => `0:0:0:0:0:ffff:${address}`,
  (address) => `0000:0000:0000:0000:0000:FFFF:${hexHalves(address).join(':')}`,
  (address) => `0::0:ffff:${hexHalves(address).join(':')}`,
];

describe('IPv4', () => {
  test.each(ipv4Edges)(
    '$first to $last is refused, and its neighbours are not [URL-2]',
    ({ first, last, below, above }) => {
      expect([publicAddress(first), publicAddress(last)]).toEqual([undefined, undefined]);
      if (below !== undefined) expect(publicAddress(below)).toBe(below);
      if (above !== undefined) expect(publicAddress(above)).toBe(above);
    },
  );

  test('the table of edges covers every refused range', () => {
    const ranges = REFUSED_IPV4_RANGES.map((range) => range.slice(0, range.indexOf('/')));
    expect(ipv4Edges.map(({ first }) => first).sort()).toEqual([...ranges].sort());
  });
});

describe('IPv6', () => {
  test.each(ipv6Edges)(
    '$first to $last is refused, and its neighbours are not',
    ({ first, last, below, above }) => {
      expect([publicAddress(first), publicAddress(last)]).toEqual([undefined, undefined]);
      if (below !== undefined) expect(publicAddress(below)).toBe(below);
      if (above !== undefined) expect(publicAddress(above)).toBe(above);
    },
  );

  test('the table of edges covers every refused range', () => {
    const ranges = REFUSED_IPV6_RANGES.map((range) => range.slice(0, range.indexOf('/')));
    expect(ipv6Edges.map(({ first }) => first)).toEqual(expect.arrayContaining(ranges));
  });
});

test.each(ipv4Edges)(
  'mapped into IPv6, $first to $last is checked like the IPv4 range',
  ({ first, last, below, above }) => {
    for (const notation of mappedNotations) {
      expect([publicAddress(notation(first)), publicAddress(notation(last))]).toEqual([undefined, undefined]);
      if (below !== undefined) expect(publicAddress(notation(below))).toBe(below);
      if (above !== undefined) expect(publicAddress(notation(above))).toBe(above);
    }
  },
);

test.each(['8.8.8.8', '127.0.0.1'])('no other IPv6 address that embeds %s is public', (address) => {
  const [high, low] = hexHalves(address);
  for (const carrying of [
    `::${address}`,
    `::${high}:${low}`,
    `::ffff:0:${address}`,
    `::ffff:0:${high}:${low}`,
    `::fffe:${high}:${low}`,
    `::1:ffff:${high}:${low}`,
    `64:ff9b::${address}`,
    `64:ff9b::${high}:${low}`,
    `64:ff9b:1::${address}`,
    `64:ff9b:1:${high}:${low}::`,
    `2002:${high}:${low}::`,
    `2002:${high}:${low}::1`,
    `2001:0:${high}:${low}::1`,
    `fe80::5efe:${high}:${low}`,
  ]) {
    expect([carrying, publicAddress(carrying)]).toEqual([carrying, undefined]);
  }
});

test.each([
  '',
  ...'localhost 127.1 2130706433 0x7f000001 0177.0.0.1 08.8.8.8 8.8.8 8.8.8.8.8 256.1.1.1 1.1.1.1/32'.split(
    ' ',
  ),
  ' 8.8.8.8',
  '8.8.8.8 ',
  '8.8.8.8:443',
  '[2606:4700:4700::1111]',
  '2606:4700:4700:::1111',
])('%j is not a strict address and is refused', (text) => {
  expect(publicAddress(text)).toBeUndefined();
});

const ipv4 = fc.uint8Array({ minLength: 4, maxLength: 4 });
const ipv6 = fc.uint8Array({ minLength: 16, maxLength: 16 });

/** Returns random bytes with the prefix of a range: an address inside it. */
function inside(range: string): fc.Arbitrary<ipaddr.IPv4 | ipaddr.IPv6> {
  const [network, bits] = ipaddr.parseCIDR(range);
  const prefix = network.toByteArray();
  return (prefix.length === 4 ? ipv4 : ipv6).map((random) =>
    ipaddr.fromByteArray(
      prefix.map((byte, index) => {
        const fixedBits = Math.min(8, Math.max(0, bits - index * 8));
        const mask = (0xff << (8 - fixedBits)) & 0xff;
        return (byte & mask) | ((random[index] ?? 0) & ~mask & 0xff);
      }),
    ),
  );
}

describe('any address', () => {
  test('inside a refused range is refused, in every notation of it', () => {
    fc.assert(
      fc.property(fc.oneof(...[...REFUSED_IPV4_RANGES, ...REFUSED_IPV6_RANGES].map(inside)), (address) => {
        expect(publicAddress(address.toString())).toBeUndefined();
        expect(publicAddress(address.toNormalizedString())).toBeUndefined();
        if (address instanceof ipaddr.IPv4) {
          expect(publicAddress(address.toIPv4MappedAddress().toString())).toBeUndefined();
          expect(publicAddress(`::ffff:${address.toString()}`)).toBeUndefined();
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('outside the public IPv6 range is refused, unless it maps an IPv4 address', () => {
    const publicRange = ipaddr.IPv6.parseCIDR(PUBLIC_IPV6_RANGE);
    fc.assert(
      fc.property(ipv6, (bytes) => {
        const address = new ipaddr.IPv6([...bytes]);
        fc.pre(!address.match(publicRange) && !address.isIPv4MappedAddress());
        expect(publicAddress(address.toString())).toBeUndefined();
      }),
    );
  });
});
