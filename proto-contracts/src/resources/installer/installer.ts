import { z } from 'zod';

export const installerCompany = z
  .object({
    id: z.string().meta({ description: 'The id of the company.' }),
    name: z.string().meta({ description: 'The name of the company.' }),
  })
  .meta({ id: 'InstallerCompany', description: 'A company that installs.' });

/** Visible to the owners of the selling company whose jobs are or were assigned to them. */
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

export const BOUND_COMPANY = { id: 'cmp_01jx2m9k3hf7sd0q8xw4vt6nzb', name: 'Sunny Installers' };
