import { describe, expect, test } from '@jest/globals';
import { parseConfig } from '@partner/kernel/config';
import { config } from './config.js';

const settings = {
  PARTNER_ENVIRONMENT: 'sandbox',
  AMQP_URL: 'amqp://localhost',
  REDIS_URL: 'redis://localhost',
  CURSOR_SIGNING_KEY: Buffer.alloc(32, 7).toString('base64'),
};

describe('the settings of installer-gateway', () => {
  test('accept a signing key of 32 bytes', () => {
    expect(parseConfig(config, settings).CURSOR_SIGNING_KEY).toEqual(Buffer.alloc(32, 7));
  });

  test.each(['', 'short', Buffer.alloc(31).toString('base64'), `${settings.CURSOR_SIGNING_KEY}!`])(
    'refuse the signing key %j',
    (key) => {
      expect(() => parseConfig(config, { ...settings, CURSOR_SIGNING_KEY: key })).toThrow(
        'CURSOR_SIGNING_KEY',
      );
    },
  );
});
