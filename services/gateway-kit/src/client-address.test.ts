import { describe, expect, test } from '@jest/globals';
import { clientNetwork, plainAddress } from './client-address.js';

describe('a client address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:DB8::1', '2001:db8::1'],
    ['not an address', 'unknown'],
    [undefined, 'unknown'],
  ])('%s is written as %s', (given, plain) => {
    expect(plainAddress(given)).toBe(plain);
  });

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
