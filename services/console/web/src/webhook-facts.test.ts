import { expect, test } from '@jest/globals';
import { webhookName } from './webhook-facts.js';

test.each([
  ['https://partner.example/hooks', '', 'partner.example/hooks'],
  ['https://partner.example/', '', 'partner.example'],
  ['https://partner.example/hooks', 'Orders', 'Orders'],
])('%s with the description "%s" is named %s', (url, description, name) => {
  expect(webhookName({ url, description })).toBe(name);
});
