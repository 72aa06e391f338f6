import { expect, test } from '@jest/globals';
import { conformanceCommand } from './conformance-command.js';

test('the conformance check has the URL and the secrets of the webhook', () => {
  const webhook = { url: "https://example.com/it's?a&b", secretVersion: 3, pendingSecretVersion: null };
  expect(conformanceCommand(webhook)).toBe(
    `partnerctl conformance 'https://example.com/it'\\''s?a&b' --secret-file secret-3.txt --secret-version 3`,
  );
  expect(conformanceCommand({ ...webhook, pendingSecretVersion: 5 })).toContain(
    ' --next-secret-file secret-5.txt --next-secret-version 5',
  );
});
