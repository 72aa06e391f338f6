import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import {
  PUBLIC_IPV6_RANGE,
  publicAddress,
  REFUSED_IPV4_RANGES,
  REFUSED_IPV6_RANGES,
} from './address-rules.js';

/** First and last address of each refused range. */
const REFUSED_IPV4 =
  `0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.255.255.255
  168.63.129.16 168.63.129.16 169.254.0.0 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.0
  192.0.2.255 192.88.99.0 192.88.99.255 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.0
  198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.0 255.255.255.255`.split(/\s+/);
/** First address and last prefix. */
const REFUSED_IPV6 =
  ':: 1fff 2001:: 2001:1ff 2001:db8:: 2001:db8 2002:: 2002 3fff:: 3fff:fff 4000:: ffff'.split(' ');

const end = (prefix: string) => prefix + ':ffff'.repeat(8 - prefix.split(':').length);

/** Node's blocklists are the judge. That of IPv4 reads an IPv4-mapped address too. */
const [refusedIpv4, refusedIpv6, mapped] = [new BlockList(), new BlockList(), new BlockList()];
mapped.addSubnet('::ffff:0:0', 96, 'ipv6');
for (let at = 0; at < REFUSED_IPV4.length; at += 2)
  refusedIpv4.addRange(REFUSED_IPV4[at] ?? '', REFUSED_IPV4[at + 1] ?? '');
for (let at = 0; at < REFUSED_IPV6.length; at += 2)
  refusedIpv6.addRange(REFUSED_IPV6[at] ?? '', end(REFUSED_IPV6[at + 1] ?? ''), 'ipv6');

const octets = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
/** Where the ranges of the rules begin, so that one more of them is drawn too. */
const starts = (ranges: readonly string[]) => ranges.map((range) => range.replace(/(::)?\/.*/, ''));
const nearEdge = fc
  .tuple(fc.constantFrom(...REFUSED_IPV4, ...starts(REFUSED_IPV4_RANGES)), fc.integer({ min: -1, max: 1 }))
  .map(([edge, step]) => edge.split('.').reduce((sum, octet) => sum * 256 + Number(octet), step));
const ipv4 = fc.oneof(nearEdge, fc.nat({ max: 0xffff_ffff })).map((address) => octets(address).join('.'));

const PREFIXES = [
  ...starts([PUBLIC_IPV6_RANGE, ...REFUSED_IPV6_RANGES]),
  ...'0 1fff 2001:1ff 2001:200 2001:db7 2001:db8 2001:db9 2003 3ffe 3fff:fff 3fff:1000 4000 fc00 fe80'.split(
    ' ',
  ),
];
const group = fc.oneof(
  fc.constantFrom('0', 'ffff'),
  fc.nat({ max: 0xffff }).map((each) => each.toString(16)),
);
const ipv6 = fc
  .tuple(fc.constantFrom(...PREFIXES), group, group)
  .map(([prefix, fill, last]) => `${prefix}${`:${fill}`.repeat(7 - prefix.split(':').length)}:${last}`);

function hexHalves(ipv4Address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4Address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** IPv6 texts that hold an IPv4 address: mapped ones, and those of tunnels, translations and old drafts. */
const carrying = fc
  .tuple(ipv4, fc.boolean())
  .map(([address, isHex]) => (isHex ? hexHalves(address) : address))
  .chain((tail) =>
    fc.constantFrom(
      ...'::ffff: ::FFFF: 0:0:0:0:0:ffff: 0000:0000:0000:0000:0000:FFFF: 0::0:ffff: :: ::ffff:0: ::fffe: ::1:ffff: 64:ff9b::'
        .split(' ')
        .concat('64:ff9b:1::', 'fe80::5efe:', '2001::', '2002::')
        .map((head) => head + tail),
    ),
  );

test('an address is refused exactly if it is of a range that is not public, in any notation of it [URL-2]', () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6, carrying, fc.ipV6()), (text) => {
      const isRefused = isIPv4(text)
        ? refusedIpv4.check(text)
        : (mapped.check(text, 'ipv6') ? refusedIpv4 : refusedIpv6).check(text, 'ipv6');
      const address = publicAddress(text);
      expect(address === undefined).toBe(isRefused);
      if (address === undefined) return;
      // What is dialled is the same address, and an IPv4 address wherever it is one.
      const written = (each: string) =>
        new URL(`http://[${isIPv4(each) ? `::ffff:${each}` : each}]`).hostname;
      expect(written(address)).toBe(written(text));
      expect(isIPv6(address) && /^::ffff:/.test(address)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test('a text that is not a strict address is refused [URL-2]', () => {
  const odd = fc.constantFrom(
    ...' ,127.1,2130706433,0x7f000001,08.8.8.8,8.8.8,8.8.8.8.8,256.1.1.1,8.8.8.8/32,8.8.8.8:443,fe80::1%eth0'.split(
      ',',
    ),
    ...'localhost,[2606:4700::1111],2606:4700:::1111,2606:4700::1111%1,2606:4700::1111/64,::1.2.3'.split(','),
  );
  const damaged = fc
    .tuple(fc.oneof(ipv4, ipv6), fc.constantFrom(...' \t0x[]/%:.\u0665'.split('')), fc.nat())
    .map(([text, sign, place]) => text.slice(0, place % text.length) + sign + text.slice(place % text.length))
    .filter((text) => !isIPv4(text) && !isIPv6(text));
  fc.assert(
    fc.property(fc.oneof(odd, damaged), (text) => {
      expect(publicAddress(text)).toBeUndefined();
    }),
  );
});
