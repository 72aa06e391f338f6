import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { clientAddress, clientNetwork } from './client-address.js';

const PROXY = '10.0.0.1';
const EIGHT = { minLength: 8, maxLength: 8 };

/** An address as the parser of browsers writes it; an IPv4 address as one that is mapped into IPv6. */
const byUrl = (address: string) => new URL(`http://[${isIPv4(address) ? '::ffff:' : ''}${address}]`).hostname;

const mapped = fc.ipV4().map((each) => `::ffff:${each}`);
const IPV4_NOTATIONS = ['$', '\t$ ', '$:51234', '$:', '$:_port', '"$:51234"'];
const IPV6_NOTATIONS = ['$', ' $', '[$]', '[$]:443', '"[$]:443"', '$%eth0', '[$%25eth0]:443'];

describe('a client address', () => {
  test('is the same in each notation that proxies write [HTTP-24, SESSION-9]', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.ipV4(), fc.ipV6(), mapped),
        fc.nat(),
        fc.boolean(),
        (given, choice, isUpper) => {
          const ofKind = isIPv4(given) ? IPV4_NOTATIONS : IPV6_NOTATIONS;
          // With all its groups, an address may have a port without brackets.
          const notations = /^([^:.]+:){7}[^:]+$/.test(given) ? [...ofKind, '$:51234'] : ofKind;
          const written = isUpper ? given.toUpperCase() : given;
          const entry = notations[choice % notations.length]?.replace('$', written) ?? '';
          const address = clientAddress(PROXY, entry, 1);
          expect(byUrl(address)).toBe(byUrl(given));
          expect(isIPv6(address) && byUrl(address).startsWith('[::ffff:')).toBe(false);
          expect(clientAddress(given, '203.0.113.99', 0)).toBe(address);
          expect(clientAddress(PROXY, `192.0.2.66, ${entry}`, 1)).toBe(address);
          expect(clientAddress(PROXY, `${entry},192.0.2.66:80`, 2)).toBe(address);
        },
      ),
    );
  });

  test('is that many proxies from the end, the first where there are fewer, and unknown without one', () => {
    const behind = (hops: number) => clientAddress(PROXY, '203.0.113.1, 203.0.113.2,203.0.113.3', hops);
    expect([0, 1, 2, 9].map(behind)).toEqual([PROXY, '203.0.113.3', '203.0.113.2', '203.0.113.1']);
    for (const peer of ['not an address', undefined])
      expect(clientAddress(peer, '203.0.113.99', 0)).toBe('unknown');
  });

  test.each(['', ' ', 'unknown', 'Unknown', '""'])(
    'that a proxy does not know (%j) is that of the next proxy, else of the peer',
    (entry) => {
      expect(clientAddress(PROXY, `203.0.113.1, ${entry}, 198.51.100.1:80`, 2)).toBe('198.51.100.1');
      expect(clientAddress(PROXY, `203.0.113.1, ${entry}`, 1)).toBe(PROXY);
      expect(clientAddress(PROXY, undefined, 1)).toBe(PROXY);
    },
  );

  test.each(['_hidden', 'client-7.internal', '010.0.0.1', '203.0.113.9/32', '[', '[]:1', 'a'.repeat(9_000)])(
    'that is none (%j) is a separate client, not all clients [HTTP-24, SESSION-9]',
    (entry) => {
      const address = clientAddress(PROXY, entry, 1);
      expect(address).toMatch(/^unknown-[0-9a-f]{16}$/);
      expect(clientAddress(PROXY, `203.0.113.1, ${entry}`, 1)).toBe(address);
      expect(clientAddress(PROXY, `${entry}0`, 1)).not.toBe(address);
      expect(clientNetwork(address)).toBe(address);
    },
  );

  test('is limited with its /64 network of IPv6, and alone as IPv4', () => {
    expect(clientNetwork('2001:0db8::1')).toBe('2001:db8:0:0::/64');
    expect(clientNetwork('64:ff9b::192.0.2.33%eth0')).toBe('64:ff9b:0:0::/64');
    const group = fc.oneof(fc.constant(0), fc.nat({ max: 0xffff }));
    fc.assert(
      fc.property(fc.array(group, EIGHT), fc.nat({ max: 7 }), group, fc.ipV4(), (given, at, other, ipv4) => {
        const textOf = (parts: readonly number[]) => parts.map((part) => part.toString(16)).join(':');
        const [one, changed] = [textOf(given), textOf(given.with(at, other))];
        const network = new BlockList();
        network.addSubnet(one, 64, 'ipv6');
        const isSame = clientNetwork(byUrl(changed).slice(1, -1)) === clientNetwork(one);
        expect(isSame).toBe(network.check(changed, 'ipv6'));
        expect(clientNetwork(ipv4)).toBe(ipv4);
      }),
    );
  });
});
