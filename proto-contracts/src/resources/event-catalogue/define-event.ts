import { z } from 'zod';
import type { CompanyClassName } from '../../values/company-class.js';
import { INSTALLER_JOB_EXAMPLE } from '../job/job.js';

export interface EventDefinition<Data extends z.ZodType> {
  /** When the event occurs, in the specification's words. */
  readonly meaning: string;
  readonly classes: readonly CompanyClassName[];
  /**
   * Its `data`, as an allow-list. Strict: a field that is not listed cannot be sent. No event holds a customer's contact details; those
   * for installer companies hold no price (spec: What the service does 6, Events).
   */
  readonly data: Data;
  readonly resource: { readonly type: string; readonly id: string; readonly version: number };
  /** Public fields of the resource that a change can concern, for `changed`; absent: the event says nothing about changes. */
  readonly fields?: readonly string[];
  readonly example: z.infer<Data>;
  /** Those of `fields` that differ in the example; absent: all of them. */
  readonly exampleChanged?: readonly string[];
}

export function defineEvent<Data extends z.ZodType>(event: EventDefinition<Data>): EventDefinition<Data> {
  return event;
}

export const id = (description: string) => z.string().meta({ description });

export const money = z
  .strictObject({
    amountMinor: z.int().meta({ description: "In the currency's minor unit, e.g. cents.", format: 'int64' }),
    currency: z.string().meta({ description: 'ISO 4217 code, e.g. `USD`.' }),
  })
  .meta({ id: 'Money', description: 'An amount of money.' });

export const projectId = id('The project that it belongs to.');

export const depositId = id('The id of the deposit.');

export const invoiceId = id('The id of the invoice.');

export const EXAMPLE = {
  at: '2026-09-03T12:31:07.412Z',
  jobId: INSTALLER_JOB_EXAMPLE.id,
  companyId: INSTALLER_JOB_EXAMPLE.company.id,
  projectId: 'prj_01k3h1x9c5e7ja6ps0wg3yk8fm',
  depositId: 'dep_01k3h4a8t5n2wq6z9xr7mvc4be',
  invoiceId: 'inv_01k3hb2d9w6m4xt8qz5nrv7cbe',
  invoiceNumber: 'INV-2026-0417',
  total: { amountMinor: 1_849_900, currency: 'USD' },
  deposit: { amountMinor: 250_000, currency: 'USD' },
  subscriptionId: 'whk_01k3h5d8vqf2mw7x0r4tn6ysbe',
} as const;
