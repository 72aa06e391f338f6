import { defineOperation } from '../../api/operation.js';
import { eventCatalogue, catalogueExample } from './event-catalogue.js';

export const listWebhookEventsOperation = defineOperation({
  id: 'listWebhookEvents',
  method: 'get',
  path: '/partner-api/webhook-events',
  conditional: true,
  summary: 'List the events',
  description: `
Lists every event in the catalog with the classes of companies that may subscribe to it, the JSON Schema and an
example of its body; and the version of the signature scheme.`,
  responses: {
    200: {
      description: 'The event catalogue.',
      schema: eventCatalogue,
      example: catalogueExample(),
    },
  },
});
