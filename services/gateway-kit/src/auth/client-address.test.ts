import { describe, expect, test } from '@jest/globals';
import { clientAddress, clientNetwork } from './client-address.js';

const PROXY = '10.0.0.1';

describe('a client address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:DB8::1', '2001:db8::1'],
    ['not an address', 'unknown'],
    [undefined, 'unknown'],
  ])('of the peer %s is written as %s, and without proxies no header counts', (peer, address) => {
    expect(clientAddress(peer, '203.0.113.99', 0)).toBe(address);
  });

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:51234', '203.0.113.9'],
    ['203.0.113.9:', '203.0.113.9'],
    ['203.0.113.9:_port', '203.0.113.9'],
    ['"203.0.113.9:51234"', '203.0.113.9'],
    ['\t203.0.113.9 ', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['"[2001:db8::1]:443"', '2001:db8::1'],
    ['[::1]', '::1'],
    ['2001:db8:0:0:0:0:0:1:51234', '2001:db8::1'],
    ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['[::ffff:203.0.113.9]:443', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
  ])('that a proxy writes as %j is %s [HTTP-24, SESSION-9]', (entry, address) => {
    expect(clientAddress(PROXY, entry, 1)).toBe(address);
    expect(clientAddress(PROXY, `192.0.2.66, ${entry}`, 1)).toBe(address);
    expect(clientAddress(PROXY, `${entry},192.0.2.66:80`, 2)).toBe(address);
  });

  test.each([
    ['the last entry', 1, '203.0.113.3'],
    ['the last but one', 2, '203.0.113.2'],
    ['the first, where there are fewer', 9, '203.0.113.1'],
  ])('is %s behind this many proxies', (_which, hops, address) => {
    expect(clientAddress(PROXY, '203.0.113.1, 203.0.113.2,203.0.113.3', hops)).toBe(address);
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

  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s is limited as %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});
