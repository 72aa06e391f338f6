import { NOT_DONE_ADVICE, ServiceError } from '@partner/kernel/service-error';

/** Lets a bounded number of pieces of work of each company run at once. */
export interface PerCompanyGate {
  /**
   * Does the work when there is room for it, first come, first served within the company. Fails with `unavailable` when none
   * becomes free in time (milliseconds; `Infinity`: however long) or too much work of the company waits already.
   */
  run<T>(companyId: string, timeoutMs: number, work: () => Promise<T>): Promise<T>;
}

interface Company {
  running: number;
  /** Each starts the work that waits. */
  readonly waiting: Set<() => void>;
}

/**
 * Makes a gate. It keeps one company, whose work is stuck or is simply much, from taking what all companies share; it knows
 * only this process.
 */
export function createPerCompanyGate(limits: {
  readonly running: number;
  readonly waiting: number;
}): PerCompanyGate {
  const companies = new Map<string, Company>();

  async function enter(company: Company, timeoutMs: number): Promise<void> {
    if (company.running < limits.running) {
      company.running += 1;
      return;
    }
    if (company.waiting.size >= limits.waiting) throw tooMuch();
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        company.waiting.delete(start);
        resolve();
      };
      const giveUp = () => {
        company.waiting.delete(start);
        reject(tooMuch());
      };
      const timer = Number.isFinite(timeoutMs) ? setTimeout(giveUp, Math.max(0, timeoutMs)) : undefined;
      company.waiting.add(start);
    });
  }

  /** Hands the place to whoever waits longest. */
  function leave(companyId: string, company: Company): void {
    const [next] = company.waiting;
    if (next !== undefined) {
      next();
      return;
    }
    company.running -= 1;
    if (company.running === 0) companies.delete(companyId);
  }

  return {
    async run(companyId, timeoutMs, work) {
      const company = companies.get(companyId) ?? { running: 0, waiting: new Set() };
      companies.set(companyId, company);
      await enter(company, timeoutMs);
      try {
        return await work();
      } finally {
        leave(companyId, company);
      }
    },
  };
}

function tooMuch(): ServiceError {
  return new ServiceError(
    'unavailable',
    `too many writes of this company are under way; ${NOT_DONE_ADVICE}`,
    { retryAfterSeconds: 1 },
  );
}
