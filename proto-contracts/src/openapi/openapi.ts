import { createDocument, type oas31, type ZodOpenApiPathsObject } from 'zod-openapi';
import { simplifySchemas } from '../api/simplify-schemas.js';
import { CURRENT_API_VERSION } from '../api/versions.js';
import { errorResponses } from './error-responses.js';
import { renderGuide } from './guide.js';
import { operationObject } from './operation-object.js';
import { orderExamples } from './order-examples.js';
import { headerComponents } from './response-headers.js';
import { SURFACES } from './surfaces.js';
import { WEBHOOK_TAG, webhookItems, webhookUnion } from './webhook-items.js';

export type OpenApiDocument = oas31.OpenAPIObject;

export interface OpenApiOptions {
  /** Public address of the API, without a trailing slash, e.g. `https://api.partner.example`. */
  readonly serverUrl: string;
  readonly sessionCookie: string;
  /** Date of examples that need a recent one, `YYYY-MM-DD` in UTC; by default today. */
  readonly today?: string;
}

/**
 * Describes all surfaces and webhooks from the operations and schemas that serve them. Responses and webhooks are open:
 * no schema forbids undescribed fields, because new fields come without a new version (spec: Versioning 2).
 */
export function createOpenApiDocument({
  serverUrl,
  sessionCookie,
  today = new Date().toISOString().slice(0, 10),
}: OpenApiOptions): OpenApiDocument {
  const document = createDocument({
    openapi: '3.1.1',
    info: {
      title: 'Partner Integration API',
      version: CURRENT_API_VERSION,
      description: renderGuide(serverUrl),
      contact: { name: 'Partner integration team', url: `${serverUrl}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: [...SURFACES.map(({ tag, description }) => ({ name: tag, description })), WEBHOOK_TAG],
    paths: paths(today),
    webhooks: webhookItems(),
    components: {
      headers: headerComponents(),
      responses: errorResponses(SURFACES),
      schemas: { WebhookEnvelope: webhookUnion() },
      securitySchemes: {
        apiKeyHeader: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'An API key: `<keyId>.<secret>`. Its kind fixes its surface and scopes.',
        },
        sessionCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description: 'The session of a signed-in owner. `createSession` creates one.',
        },
      },
    },
  });
  simplifySchemas(document);
  orderExamples(document);
  return document;
}

function paths(today: string): ZodOpenApiPathsObject {
  const items: ZodOpenApiPathsObject = {};
  for (const surface of SURFACES) {
    for (const operation of surface.operations) {
      const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
      items[path] = { ...items[path], [operation.method]: operationObject(operation, surface, today) };
    }
  }
  return items;
}
