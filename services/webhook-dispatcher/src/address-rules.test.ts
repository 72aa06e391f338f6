import { expect, test } from '@jest/globals';
import {
  PUBLIC_IPV6_RANGE,
  publicAddress,
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

/** The highest address with a prefix. */
const end = (prefix: string) => prefix + ':ffff'.repeat(8 - prefix.split(':').length);

/** The same within the public IPv6 range, whose own ends are the first and the last address. */
const ipv6Edges = [
  { first: '::', last: end('1fff'), above: '2000::' },
  { below: end('2000'), first: '2001::', last: end('2001:1ff'), above: '2001:200::' },
  { below: end('2001:db7'), first: '2001:db8::', last: end('2001:db8'), above: '2001:db9::' },
  { below: end('2001'), first: '2002::', last: end('2002'), above: '2003::' },
  { below: end('3ffe'), first: '3fff::', last: end('3fff:fff'), above: '3fff:1000::' },
  { below: end('3fff'), first: '4000::', last: end('ffff') },
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

test.each([...ipv4Edges, ...ipv6Edges])(
  '$first to $last is refused, and its neighbours are not [URL-2]',
  ({ first, last, below, above }) => {
    expect([publicAddress(first), publicAddress(last)]).toEqual([undefined, undefined]);
    if (below !== undefined) expect(publicAddress(below)).toBe(below);
    if (above !== undefined) expect(publicAddress(above)).toBe(above);
  },
);

test('the tables of edges cover every refused range and the start of the public one', () => {
  const ranges = [...REFUSED_IPV4_RANGES, ...REFUSED_IPV6_RANGES].map((range) => range.split('/')[0]);
  const firsts = [...ipv4Edges, ...ipv6Edges].map(({ first }) => first);
  expect(firsts).toEqual(expect.arrayContaining(ranges));
  const [start] = PUBLIC_IPV6_RANGE.split('/');
  expect(ipv6Edges.find(({ above }) => above === start)).toBeDefined();
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
