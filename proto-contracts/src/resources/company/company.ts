import { z } from 'zod';
import { companyClass } from '../../values/company-class.js';
import { dateTimeOut } from '../../values/date-time.js';

/** A company with its settings, visible to operators alone. */
export const company = z.object({
  id: z.string(),
  name: z.string(),
  class: companyClass,
  /** Rate limit of the installer API; null: the default. */
  installerRequestsPerMinute: z.int().nullable(),
  /** Weight in the allocation of delivery slots, 1 to 100. */
  deliveryWeight: z.int(),
  accountingCompanyIds: z.array(z.string()),
  createdAt: dateTimeOut,
  /** API keys that are neither revoked nor expired. */
  activeKeys: z.int(),
  activeWebhooks: z.int(),
});

export type Company = z.infer<typeof company>;

export const companyPage = z.object({ companies: z.array(company), hasMore: z.boolean() });
