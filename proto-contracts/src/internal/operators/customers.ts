import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';
import { customerDataPage, customersFound, erasure, erasureList } from '../../resources/customer/customer.js';
import { pageSize } from './page-size.js';

export const customerRecords = z.object({
  leads: z.array(z.string()),
  projects: z.array(z.string()),
  jobs: z.array(z.string()),
  appointments: z.array(z.string()),
  /** Quotes, deposits, invoices, rebates and journal entries. */
  facts: z.array(z.string()),
});

export type CustomerRecords = z.infer<typeof customerRecords>;

/** Returned by a previous call with the same criteria, unchanged; absent: begin. */
const cursor = z.string().optional();

/** Continues a search for the records of a customer: each call scans some rows. */
export const findPeopleOperation = defineInternalOperation({
  id: 'findPeople',
  repeatable: true,
  /** A record matches that has one of the values. */
  input: z.object({
    email: z.string().optional(),
    phone: z.string().optional(),
    address: z.string().optional(),
    id: z.string().optional(),
    /** Only records of this selling company; absent: of all. */
    companyId: z.string().optional(),
    cursor,
  }),
  output: z.object({
    scannedRows: z.number(),
    /** Set until the search has ended; then `found` is set. */
    cursor,
    found: customersFound.extend({ records: customerRecords }).optional(),
  }),
});

/** A page of rows; the next one begins at its cursor. */
const rowsPage = customerDataPage.extend({ cursor });

export const readPersonDataOperation = defineInternalOperation({
  id: 'readPersonData',
  repeatable: true,
  input: z.object({ records: customerRecords, cursor }),
  output: rowsPage,
});

export const erasePersonOperation = defineInternalOperation({
  id: 'erasePerson',
  // The id decides.
  repeatable: true,
  input: z.object({ erasureId: z.string(), records: customerRecords }),
  output: erasure,
});

/** Reads a page of the rows that only a company can read. The first one says what its erasure waits for. */
export const readCompanyDataOperation = defineInternalOperation({
  id: 'readCompanyData',
  repeatable: true,
  input: z.object({ companyId: z.string(), cursor }),
  output: rowsPage,
});

/** Ends a company's access and begins the erasure of its data. */
export const eraseCompanyOperation = defineInternalOperation({
  id: 'eraseCompany',
  // The id decides.
  repeatable: true,
  input: z.object({ erasureId: z.string(), companyId: z.string() }),
  output: erasure,
});

export const listErasuresOperation = defineInternalOperation({
  id: 'listErasures',
  repeatable: true,
  input: z.object({ erasureId: z.string().optional(), limit: pageSize }),
  output: erasureList,
});
