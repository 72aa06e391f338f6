import { expect, test } from '@jest/globals';
import { passwordChangeIn } from '@partner/proto-contracts/resources/password/password';
import { checkNewPassword } from './new-password-rule.js';

const owner = {
  email: 'olive.oconnor@sunny.example',
  displayName: 'Olive O’Connor',
  companyName: 'Sunny Installers',
};

test.each(['Olive.OConnor@Sunny.example', 'olive o’connor', 'olive-oconnor', 'SUNNY   installers!'])(
  'a new password is not %s, in any spelling [SESSION-10]',
  (password) => {
    expect(() => checkNewPassword(password, owner)).toThrow(
      'newPassword: must not be the email address, your name or the name of the company',
    );
  },
);

test.each(['sunny installers in june', '!!!!!!!!!!!!'])(
  'a new password may be %s [SESSION-10]',
  (password) => {
    expect(() => checkNewPassword(password, { ...owner, email: undefined })).not.toThrow();
  },
);

test('a new password has 12 characters, of which a decomposed letter is one [SESSION-10]', () => {
  const accepts = (newPassword: string) =>
    passwordChangeIn.safeParse({ currentPassword: 'x', newPassword }).success;
  expect(accepts('é'.repeat(12).normalize('NFD'))).toBe(true);
  expect(accepts('é'.repeat(11).normalize('NFD'))).toBe(false);
});
