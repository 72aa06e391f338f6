import { describe, expect, test } from '@jest/globals';
import { emailAddress } from './email-address.js';

const letters = (count: number) => 'x'.repeat(count);

describe('an email address', () => {
  test.each([
    'ada@example.com',
    'a@b.co',
    "!#$%&'*+-/=?^_`{|}~@x.example",
    'ada.quill+leads@mail.example.com',
    '"ada quill"@x.example',
    '"ada@home\\"s"@x.example',
    'ADA@EXAMPLE.COM',
    'ada@xn--bcher-kva.example',
    'ada@example.xn--p1ai',
    `${letters(64)}@x.example`,
    `ada@${letters(63)}.example`,
  ])('accepts %s [LEAD-6]', (address) => {
    expect(emailAddress.parse(address)).toBe(address);
  });

  test.each([
    '',
    '@example.com',
    'ada@localhost',
    'ada@example',
    'ada@[127.0.0.1]',
    '.ada@example.com',
    'ada.@example.com',
    'ada..quill@example.com',
    'ada@quill@example.com',
    '"ada"quill"@example.com',
    'ada@-example.com',
    'ada@exa_mple.com',
    'ada@example.com.',
    ' ada@example.com',
    'ada@example.com\n',
    'Ada <ada@example.com>',
    `${letters(65)}@x.example`,
    `ada@${letters(64)}.example`,
  ])('refuses "%s" [LEAD-6]', (address) => {
    expect(emailAddress.safeParse(address).error?.issues).toMatchObject([
      { message: 'must be an email address, e.g. ada@example.com' },
    ]);
  });

  test.each(['zoë@example.com', 'ada@bücher.example'])(
    'refuses %s and says that it must be ASCII [LEAD-6]',
    (address) => {
      expect(emailAddress.safeParse(address).error?.issues).toMatchObject([
        {
          message:
            'must be an email address in ASCII; write an internationalized domain in Punycode, e.g. ada@xn--bcher-kva.example',
        },
      ]);
    },
  );

  test('has at most 254 characters', () => {
    const address = `${letters(64)}@${letters(61)}.${letters(61)}.${letters(61)}.exa`;
    expect(address).toHaveLength(254);
    expect(emailAddress.safeParse(address).success).toBe(true);
    expect(emailAddress.safeParse(`${address}m`).error?.issues).toMatchObject([
      { code: 'too_big', maximum: 254 },
    ]);
  });
});
