import { z } from 'zod';

/** The class of a company: it sells, installs, or receives the financial journal. */
export const companyClass = z.enum(['SALES', 'INSTALLER', 'ACCOUNTING']);

export type CompanyClassName = z.infer<typeof companyClass>;
