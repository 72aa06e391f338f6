import { defineOperation } from '../../api/operation.js';
import { CURRENT_API_VERSION } from '../../api/versions.js';
import { MEMBERSHIP_ID, SECOND_MEMBERSHIP_ID } from '../job/job.js';
import { techniciansQuery, techniciansResponse } from './technician.js';

export const listTechniciansOperation = defineOperation({
  id: 'listTechnicians',
  method: 'get',
  path: '/partner/v1/technicians',
  scope: 'technicians:read',
  query: techniciansQuery,
  summary: 'List technicians',
  description: `
Lists the technicians of your company, the active ones first, then by name. An assignment takes their \`membershipId\`.

One page holds up to 2,000, or up to \`limit\`. While \`hasMore\` is true, send the request again with \`nextCursor\` as
\`cursor\`. A cursor is bound to your company; any other text is 400 \`cursor_invalid\`: start again without a cursor.`,
  responses: {
    200: {
      description: 'The technicians.',
      schema: techniciansResponse,
      example: {
        apiVersion: CURRENT_API_VERSION,
        technicians: [
          { membershipId: SECOND_MEMBERSHIP_ID, displayName: 'Rafael Winter', active: true },
          { membershipId: MEMBERSHIP_ID, displayName: 'Tess Oduya', active: true },
          { membershipId: 'mem_01jw9y3k7hf0vt6c2rm5xq8zpd', displayName: 'Noor Haddad', active: false },
        ],
        nextCursor: null,
        hasMore: false,
      },
    },
  },
  errors: ['cursor_invalid'],
});
