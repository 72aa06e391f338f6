import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { pageQuery } from '../../values/page.js';
import { BOUND_COMPANY, installerPage } from './installer.js';

export const listInstallersOperation = defineOperation({
  id: 'listInstallers',
  method: 'get',
  path: '/partner-api/installers',
  query: pageQuery,
  summary: 'List installers',
  description:
    'Lists the companies that jobs of your company are or were assigned to: those that an `installer-contractor` key can be bound to. None for a company that does not sell.',
  responses: {
    200: {
      description: 'The companies.',
      schema: installerPage,
      example: { installers: [BOUND_COMPANY], nextCursor: null } satisfies z.input<typeof installerPage>,
    },
  },
  errors: ['cursor_invalid'],
});
