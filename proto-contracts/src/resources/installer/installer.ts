import { z } from 'zod';
import { pageCursor } from '../../values/page-cursor.js';
import { pageLimit } from '../../values/page-limit.js';

export const installerCompany = z
  .object({
    id: z.string().meta({ description: 'The id of the company.' }),
    name: z.string().meta({ description: 'The name of the company.' }),
  })
  .meta({ id: 'InstallerCompany', description: 'A company that installs.' });

/**
 * A page of installer companies.
 *
 * Visible to the owners of the selling company whose jobs are or were assigned to them.
 */
export const installerPage = z
  .object({
    installers: z.array(installerCompany).meta({ description: 'In the order of their names.' }),
    nextCursor: z.string().nullable().meta({
      description: 'Send it as `cursor` for more; null when there are none.',
    }),
  })
  .meta({
    id: 'Installers',
    description: 'A page of the companies that jobs of the company are or were assigned to.',
  });

export type InstallerPage = z.infer<typeof installerPage>;

export const installerQuery = z.object({
  cursor: pageCursor,
  limit: pageLimit({ default: 50, max: 100 }),
});

export const BOUND_COMPANY = { id: 'cmp_01jx2m9k3hf7sd0q8xw4vt6nzb', name: 'Sunny Installers' };
