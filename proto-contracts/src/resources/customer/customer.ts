import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';

/** A lead, a later submission of it, or a job of a customer, visible to operators alone. */
const customerMatch = z.object({
  type: z.enum(['lead', 'submission', 'job']),
  id: z.string(),
  companyId: z.string(),
  projectId: z.string().nullable(),
  name: z.string(),
  /** Null: a job has none. */
  email: z.string().nullable(),
  phone: z.string(),
  address: z.string(),
  createdAt: dateTimeOut,
});

export const customersFound = z.object({ matches: z.array(customerMatch) });

export type CustomersFound = z.infer<typeof customersFound>;

export const customerDataPage = z.object({
  rows: z.array(z.object({ table: z.string(), row: z.record(z.string(), z.unknown()) })),
  /** Of a company, on the first page: why it cannot be erased now. */
  obstacles: z.array(z.string()).optional(),
});

export type CustomerDataPage = z.infer<typeof customerDataPage>;

/** The erasure of a customer's or a company's data. It has ids and counts only, so it can be kept. */
export const erasure = z.object({
  id: z.string(),
  /** Null: of a customer. */
  companyId: z.string().nullable(),
  leadIds: z.array(z.string()),
  projectIds: z.array(z.string()),
  jobIds: z.array(z.string()),
  operator: z.string(),
  requestedAt: dateTimeOut,
  /** Null: in progress. */
  finishedAt: dateTimeOut.nullable(),
  erasedRows: z.record(z.string(), z.int()),
});

export type Erasure = z.infer<typeof erasure>;

export const erasureList = z.object({ erasures: z.array(erasure) });
