import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';
import { company, companyPage } from '../../resources/company/company.js';
import { companyClass } from '../../values/company-class.js';
import { pageSize } from './page-size.js';

export const listCompaniesOperation = defineInternalOperation({
  id: 'listCompanies',
  repeatable: true,
  input: z.object({
    afterCompanyId: z.string().optional(),
    limit: pageSize,
    /** Ignores case. */
    nameContains: z.string().optional(),
    companyId: z.string().optional(),
  }),
  output: companyPage,
});

/** Creates a company. Later messages of the platform override it. */
export const createCompanyOperation = defineInternalOperation({
  id: 'createCompany',
  // A repeat would create a second one.
  repeatable: false,
  input: z.object({
    name: z.string(),
    class: companyClass,
    /** The id that the platform uses; absent: a new one. */
    companyId: z.string().optional(),
  }),
  output: company,
});

export const updateCompanyOperation = defineInternalOperation({
  id: 'updateCompany',
  repeatable: true,
  input: z.object({
    companyId: z.string(),
    name: z.string().optional(),
    /** Requests per minute to the installer API; 0: the standard limit. */
    installerRequestsPerMinute: z.int().optional(),
    deliveryWeight: z.int().optional(),
    accountingCompanyIds: z.array(z.string()).optional(),
  }),
  output: company,
});

/** Finds the company that owns a resource. Fails with `not_found`. */
export const findCompanyOperation = defineInternalOperation({
  id: 'findCompany',
  repeatable: true,
  input: z.object({ id: z.string() }),
  output: z.object({
    companyId: z.string(),
    companyClass,
    /** Only for a delivery and its attempts. */
    deliveryId: z.string().optional(),
  }),
});
