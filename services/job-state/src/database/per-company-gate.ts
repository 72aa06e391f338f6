import { NOT_DONE_ADVICE, ServiceError } from '@partner/kernel/service-error';

/** Bounds the concurrent work of each company. */
export interface PerCompanyGate {
  /**
   * Runs the work once a slot is free, in order of arrival within the company.
   *
   * Fails with `unavailable` if no slot becomes free within the timeout (milliseconds; `Infinity`: none), or too much work of
   * the company is queued.
   */
  run<T>(companyId: string, timeoutMs: number, work: () => Promise<T>): Promise<T>;
}

interface Company {
  running: number;
  /** Each function starts one queued piece of work. */
  readonly waiting: Set<() => void>;
}

/**
 * Creates a gate, which keeps one company with stuck or excessive work from using up shared resources.
 *
 * It covers only this process.
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

  /** Passes the slot to the work that has waited longest. */
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
    `too many writes of this company are in flight; ${NOT_DONE_ADVICE}`,
    { retryAfterSeconds: 1 },
  );
}
