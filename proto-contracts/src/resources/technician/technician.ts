import { z } from 'zod';
import { LIMITS } from '../../api/limits.js';
import { apiVersion } from '../../values/api-version.js';
import { pageLimit } from '../../values/page.js';

/** One technician of the company (spec: Technician). Visible to `installer-company` keys of the same company. */
export const technician = z
  .strictObject({
    membershipId: z.string().meta({ description: 'The id of the technician.' }),
    displayName: z.string().meta({ description: 'The name to show.' }),
    active: z.boolean().meta({ description: 'Only active technicians can be assigned.' }),
  })
  .meta({ id: 'Technician', description: 'A technician of your company.' });

/** A page of the company's technicians, active ones first. */
export const techniciansResponse = z
  .object({
    apiVersion,
    technicians: z
      .array(technician)
      .meta({ description: 'The active ones first, then by name, then by `membershipId`.' }),
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: 'Send it as `cursor` to read the next page. Null on the last page.' }),
    hasMore: z.boolean().meta({ description: 'True: there is a next page.' }),
  })
  .meta({ id: 'Technicians', description: 'A page of the technicians of your company.' });

export const techniciansQuery = z.object({
  // Holds a technician's name.
  cursor: z
    .string()
    .max(2_048)
    .optional()
    .meta({ description: 'The `nextCursor` of an earlier response, unchanged.' }),
  limit: pageLimit(LIMITS.techniciansPageSize),
});
