import { z } from 'zod';

const money = z.object({ amountMinor: z.int(), currency: z.string().regex(/^[A-Z]{3}$/) });

/** The fields of any event's data that a summary names: codes, amounts and hosts, no text of people. */
const summarizedBody = z.object({
  data: z
    .object({
      previousStatus: z.string().nullable(),
      status: z.string(),
      previousStage: z.string().nullable(),
      stage: z.string(),
      schedule: z.object({ status: z.string() }),
      blockerCode: z.string().nullable(),
      ready: z.boolean(),
      blockerCodes: z.array(z.string()),
      document: z.object({ category: z.string() }),
      previousScopeVersion: z.int(),
      scopeVersion: z.int(),
      amount: money,
      total: money,
      count: z.int(),
      host: z.string(),
      lastFour: z.string(),
    })
    .partial(),
});

/** Summarizes what an event changed, e.g. `EN_ROUTE → ON_SITE`; null if its name says everything. */
export function summarizeEvent(name: string, body: Buffer): string | null {
  const parsed = summarizedBody.safeParse(JSON.parse(body.toString('utf8')));
  if (!parsed.success) return null;
  const { data } = parsed.data;
  const { ready, blockerCode, blockerCodes = [], document, amount = data.total } = data;
  const before = data.previousStatus ?? data.previousStage ?? data.previousScopeVersion ?? undefined;
  const after =
    data.status ??
    data.stage ??
    data.schedule?.status ??
    data.scopeVersion ??
    (name === 'install.job_cancelled' ? 'CANCELLED' : undefined);
  if (after !== undefined) {
    const change = before === undefined || before === after ? `${after}` : `${before} → ${after}`;
    return blockerCode ? `${change}: ${blockerCode}` : change;
  }
  if (ready === true) return 'Ready';
  if (ready === false) {
    return blockerCodes.length === 0 ? 'Not ready' : `Not ready: ${blockerCodes.join(', ')}`;
  }
  if (document !== undefined) return document.category;
  if (data.host !== undefined) return data.count === undefined ? data.host : `${data.count} to ${data.host}`;
  if (data.lastFour !== undefined) return `…${data.lastFour}`;
  return amount === undefined ? null : formatAmount(amount);
}

function formatAmount({ amountMinor, currency }: z.infer<typeof money>): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions();
  return `${(amountMinor / 10 ** digits).toFixed(digits)} ${currency}`;
}
