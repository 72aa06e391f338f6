import { hash, verify as verifyHash } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';
import { normalizedPassword, PASSWORD_HASHING } from '@partner/kernel/security/password-hashing';
import { createShareGate } from '@partner/kernel/process/share-gate';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export type VerifyHash = (passwordHash: string, password: string) => Promise<boolean>;

const CONCURRENCY = 2;
const MAX_WAITING = 50;

/**
 * Creates the comparison and the hashing, which share their slots. At most 2 run at once, each with 19 MiB and a thread for some tens of ms, and at
 * most 50 wait. So a flood of logins cannot exhaust the memory or the threads of the process. Client networks
 * are served round-robin, so one network cannot block the others.
 */
export async function createPasswordChecks({
  metrics,
  verify = verifyHash,
}: {
  readonly metrics: Registry;
  readonly verify?: VerifyHash | undefined;
}) {
  const dummyHash = await hash(randomBytes(32), { ...PASSWORD_HASHING, salt: randomBytes(16) });
  const gate = createShareGate({ slots: CONCURRENCY, queue: MAX_WAITING, work: 'password checks' });
  const registers = [metrics];
  new Gauge({
    name: 'partner_console_password_checks',
    help: 'Password checks that are running or waiting for their turn.',
    labelNames: ['state'] as const,
    registers,
    collect() {
      this.set({ state: 'running' }, gate.running());
      this.set({ state: 'waiting' }, gate.waiting());
    },
  });
  const refused = new Counter({
    name: 'partner_console_password_checks_refused_total',
    help: 'Password checks that were refused because too many were waiting.',
    registers,
  });
  const seconds = new Histogram({
    name: 'partner_console_password_check_seconds',
    help: 'Time of a password check, without the wait for its turn.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });

  async function inSlot<T>(network: string, work: () => Promise<T>): Promise<T> {
    const leave = await gate
      .enter(network, { timeoutMs: Number.POSITIVE_INFINITY })
      .catch((error: unknown) => {
        refused.inc();
        throw error;
      });
    const end = seconds.startTimer();
    try {
      return await work();
    } finally {
      end();
      leave();
    }
  }

  return {
    /**
     * Compares a password, in its normal form and as typed, with a stored PHC hash. Without a hash it does the same work and returns false,
     * so that the response time does not reveal whether an address is known. Throws `unavailable` if too many comparisons wait, of all
     * clients or of this client network.
     */
    verifyPassword: (network: string, password: string, passwordHash: string | undefined) =>
      inSlot(network, async () => {
        // Hashes of 0.1.0 are of the password as it was typed. The forms depend on what is sent alone, so the time shows nothing.
        for (const form of new Set([normalizedPassword(password), password])) {
          const matches = await verify(passwordHash ?? dummyHash, form);
          if (matches && passwordHash !== undefined) return true;
        }
        return false;
      }),
    /** Returns the PHC hash of a new password. Throws `unavailable` as a comparison does. */
    hashPassword: (network: string, password: string) =>
      inSlot(network, () =>
        hash(normalizedPassword(password), { ...PASSWORD_HASHING, salt: randomBytes(16) }),
      ),
  };
}
