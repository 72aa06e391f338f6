import { EventEmitter, once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import { Registry } from 'prom-client';
import { PASSWORD_HASHING } from '@partner/kernel/security/password-hashing';
import { createPasswordChecks } from './verify-password.js';

const composed = 'Bl\u00e5b\u00e6rsyltet\u00f8y-caf\u00e9';

describe('the comparison of a password', () => {
  test('accepts composed and decomposed letters as one password, and hashes of 0.1.0 as typed [SESSION-10]', async () => {
    const { verifyPassword, hashPassword } = await createPasswordChecks({ metrics: new Registry() });
    const decomposed = composed.normalize('NFD');
    const accepts = (password: string, passwordHash: string) =>
      verifyPassword('192.0.2.1', password, passwordHash);
    for (const set of [composed, decomposed]) {
      const passwordHash = await hashPassword('192.0.2.1', set);
      expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect(await accepts(composed, passwordHash)).toBe(true);
      expect(await accepts(decomposed, passwordHash)).toBe(true);
      for (const other of [`${composed} `, composed.toUpperCase(), composed.replace('\u00e9', 'e')]) {
        expect(await accepts(other, passwordHash)).toBe(false);
      }
      expect(await accepts(set, await hash(set, PASSWORD_HASHING))).toBe(true);
    }
  });

  test.each([
    ['one form', 'anything', 1],
    ['composed letters', composed, 1],
    ['decomposed letters', composed.normalize('NFD'), 2],
  ])('of %s does the same work without a hash, and returns false', async (_form, password, work) => {
    const compared: string[] = [];
    const { verifyPassword } = await createPasswordChecks({
      metrics: new Registry(),
      verify: async (passwordHash) => {
        compared.push(passwordHash);
        return passwordHash !== 'hash';
      },
    });
    await verifyPassword('192.0.2.1', password, 'hash');
    expect(compared.splice(0)).toHaveLength(work);
    await expect(verifyPassword('192.0.2.1', password, undefined)).resolves.toBe(false);
    expect(compared).toHaveLength(work);
    expect(compared[0]).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('runs and queues a bounded number, leaves a slot to a second network, and refuses the rest [LIMIT-8]', async () => {
    const running: ((matches: boolean) => void)[] = [];
    const begun = new EventEmitter();
    const metrics = new Registry();
    const { verifyPassword } = await createPasswordChecks({
      metrics,
      verify: () =>
        new Promise((resolve) => {
          running.push(resolve);
          begun.emit('begun');
        }),
    });
    // Of one network one runs and the others wait, and another network starts at once.
    const networks = [...Array.from({ length: 51 }, () => 'a'), 'b'];
    const results = networks.map((network) => verifyPassword(network, 'password', 'hash'));
    await expect(verifyPassword('a', 'password', 'hash')).rejects.toMatchObject({ reason: 'unavailable' });
    expect(running).toHaveLength(2);
    expect(await metrics.metrics()).toContain('partner_console_password_checks{state="running"} 2\n');
    expect(await metrics.metrics()).toContain('partner_console_password_checks{state="waiting"} 50\n');
    expect(await metrics.metrics()).toContain('partner_console_password_checks_refused_total 1\n');

    for (const [index, matches] of running.entries()) {
      // The second one is of the other network, and the first network has no second slot.
      const nextBegun = index === 1 || index === 51 ? undefined : once(begun, 'begun');
      matches(index !== 1);
      await nextBegun;
    }
    expect(running).toHaveLength(52);
    expect(await Promise.all(results)).toEqual(networks.map((network) => network === 'a'));
    expect(await metrics.metrics()).toContain('partner_console_password_checks{state="running"} 0\n');
    expect(await metrics.metrics()).toContain('partner_console_password_check_seconds_count 52\n');
  });

  test('releases its slot when a comparison fails', async () => {
    const { verifyPassword } = await createPasswordChecks({ metrics: new Registry() });
    for (let slot = 0; slot < 2; slot += 1)
      await expect(verifyPassword('192.0.2.1', 'password', 'no hash at all')).rejects.toThrow();
    const passwordHash = await hash('password', PASSWORD_HASHING);
    await expect(verifyPassword('192.0.2.1', 'password', passwordHash)).resolves.toBe(true);
  });
});
