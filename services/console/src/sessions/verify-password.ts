import { hash, verify as argon2Verify } from '@node-rs/argon2';
import { ServiceError } from '@partner/runtime/service-error';

/** Argon2id, version 1.3: 19 MiB, two passes, one lane. The library's own algorithm is Argon2id. */
export const PASSWORD_HASHING = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * Compares a password with a stored hash in PHC string form. Without a hash it does the same work and says no, so that an
 * answer's time does not tell whether an address is known. Throws `unavailable` when too many comparisons wait.
 */
export type VerifyPassword = (password: string, passwordHash: string | undefined) => Promise<boolean>;

/**
 * Makes the comparison. At most `concurrency` run at once, each with 19 MiB and a thread for some tens of milliseconds, and
 * at most `maxWaiting` wait, so that a flood of logins can take neither the memory nor the threads of everything else.
 */
export async function createVerifyPassword(options: {
  readonly randomBytes: (size: number) => Buffer;
  readonly concurrency?: number;
  readonly maxWaiting?: number;
  readonly verify?: (passwordHash: string, password: string) => Promise<boolean>;
}): Promise<VerifyPassword> {
  const { randomBytes, concurrency = 2, maxWaiting = 50, verify = argon2Verify } = options;
  const nobodysHash = await hash(randomBytes(32), { ...PASSWORD_HASHING, salt: randomBytes(16) });
  let running = 0;
  const waiting: (() => void)[] = [];

  async function takeTurn(): Promise<void> {
    if (running < concurrency) {
      running += 1;
      return;
    }
    if (waiting.length >= maxWaiting) {
      throw new ServiceError('unavailable', 'too many people are signing in; try again', {
        retryAfterSeconds: 1,
      });
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function passTurnOn(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return async (password, passwordHash) => {
    await takeTurn();
    try {
      const matches = await verify(passwordHash ?? nobodysHash, password);
      return matches && passwordHash !== undefined;
    } finally {
      passTurnOn();
    }
  };
}
