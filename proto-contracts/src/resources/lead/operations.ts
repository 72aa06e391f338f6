import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { leadCreated, leadIn, leadMerged } from './lead.js';

/**
 * `POST /inbound/leads`
 *
 * 200 and 201 have a schema each, so OpenAPI Generator's `java`, which reads every 2xx as the first one, needs
 * `enumUnknownDefaultCase=true`. One `oneOf` with a discriminator for both is worse. With that option, which growing enums need
 * as well, its Java client finds that both schemas match and fails on every lead. Its Python client and oapi-codegen return
 * a wrapper instead of the typed result.
 */
export const createLeadOperation = defineOperation({
  id: 'createLead',
  method: 'post',
  path: '/inbound/leads',
  scope: 'leads:write',
  idempotencyKey: 'optional',
  body: leadIn,
  summary: 'Create or merge a lead',
  description: `
Submits a lead. A new one opens a project and returns 201 with both ids. The events of the project have them too.

Leads of one company are merged by address: if your company already has a lead or project at the address, the response is
200 and names it. The fields of the first lead stay; your submission is recorded with it. Two concurrent leads for one
address create one lead.

With an \`Idempotency-Key\` a repeat gets the first response again, 201 included. Without one it is merged, which is
harmless too.`,
  bodyExamples: {
    lead: {
      summary: 'A lead',
      value: {
        fullName: 'Ada Quill',
        email: 'ada.quill@example.com',
        phone: '+1 512 555 0100',
        address: '12 North Elm Street, Austin, TX 78701',
        smsConsent: true,
      } satisfies z.input<typeof leadIn>,
    },
  },
  responses: {
    201: {
      description: 'A new lead.',
      schema: leadCreated,
      example: {
        status: 'created',
        leadId: 'lead_01k3h1x9c4fdr8v2m7zq5tbwne',
        projectId: 'prj_01k3h1x9c5e7ja6ps0wg3yk8fm',
      },
    },
    200: {
      description: 'Merged into an existing lead or project.',
      schema: leadMerged,
      example: {
        status: 'merged',
        leadId: 'lead_01k3h1x9c4fdr8v2m7zq5tbwne',
        projectId: 'prj_01k3h1x9c5e7ja6ps0wg3yk8fm',
        reason: 'address matches lead lead_01k3h1x9c4fdr8v2m7zq5tbwne',
      },
    },
  },
  errors: ['idempotency_mismatch', 'idempotency_in_progress'],
});
