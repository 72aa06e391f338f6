import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { pageQuery } from '../../values/page.js';
import { BOUND_COMPANY } from '../installer/installer.js';
import {
  apiKeyCreated,
  apiKeyIn,
  apiKeyPage,
  apiKeyRotated,
  apiKeyRotationIn,
  KEY_LIMITS,
  KEY_EXAMPLE,
  KEY_TEXT_EXAMPLE,
  NEW_KEY_EXAMPLE,
} from './api-key.js';

const KEY_ID = {
  id: {
    description: 'The `id` of an API key of your company. Any other is 404.',
    example: KEY_EXAMPLE.id,
  },
};

export const listApiKeysOperation = defineOperation({
  id: 'listApiKeys',
  method: 'get',
  path: '/partner-api/api-keys',
  query: pageQuery,
  summary: 'List API keys',
  description:
    'Lists the API keys of the company, newest first, those that are revoked or expired included. Of the secret parts only the last four characters are shown.',
  responses: {
    200: {
      description: 'The keys.',
      schema: apiKeyPage,
      example: { keys: [KEY_EXAMPLE], nextCursor: null } satisfies z.input<typeof apiKeyPage>,
    },
  },
  errors: ['cursor_invalid'],
});

export const createApiKeyOperation = defineOperation({
  id: 'createApiKey',
  method: 'post',
  path: '/partner-api/api-keys',
  body: apiKeyIn,
  summary: 'Create an API key',
  description: `
Creates an API key, which is valid immediately. The key is shown only in this response.

A key of kind \`automation\` is for your own programs: with it they read webhooks, deliveries, statistics and the audit trail, and retry or
replay deliveries. It ends after at most ${KEY_LIMITS.automationDays} days, and can be bound to networks.

A company can have ${KEY_LIMITS.keysInForce} keys that are neither revoked nor expired; one more is refused with
\`key_limit_reached\`.`,
  bodyExamples: {
    general: {
      summary: 'For leads and appointments',
      value: { kind: 'general', description: 'Website' } satisfies z.input<typeof apiKeyIn>,
    },
    bound: {
      summary: 'For the jobs that one installer has',
      value: {
        kind: 'installer-contractor',
        boundCompanyId: BOUND_COMPANY.id,
        description: KEY_EXAMPLE.description,
      } satisfies z.input<typeof apiKeyIn>,
    },
    installer: {
      summary: 'Of a company that installs',
      value: { kind: 'installer-company' } satisfies z.input<typeof apiKeyIn>,
    },
    automation: {
      summary: 'For programs in one network, for a month',
      value: { kind: 'automation', expiresInDays: 30, networks: ['203.0.113.0/24'] } satisfies z.input<
        typeof apiKeyIn
      >,
    },
  },
  needsConfirmation: () => true,
  responses: {
    201: {
      description: 'The key.',
      schema: apiKeyCreated,
      example: { key: NEW_KEY_EXAMPLE, apiKey: KEY_TEXT_EXAMPLE } satisfies z.input<typeof apiKeyCreated>,
    },
  },
  errors: ['key_kind_not_allowed', 'installer_not_bindable', 'key_limit_reached'],
});

export const rotateApiKeyOperation = defineOperation({
  id: 'rotateApiKey',
  method: 'post',
  path: '/partner-api/api-keys/:id/rotate',
  params: KEY_ID,
  body: apiKeyRotationIn,
  summary: 'Replace an API key',
  description: `
Creates a key of the same kind, bound to the same company or networks and with the same description. One that ends is as long valid, from now on, as the replaced one was from its creation. The key is shown only in this response. The
replaced key stays valid during the overlap, so that you can deploy the new one, but never longer than it would have been valid anyway. A gateway accepts it for up to 5 seconds more.

A key can be replaced once: after that, replace the new one. While both are in force both count towards the
company's ${KEY_LIMITS.keysInForce} keys. The body can be left out.`,
  bodyExamples: {
    usual: {
      summary: `With ${KEY_LIMITS.overlapHours.default} hours for the old one`,
      value: {} satisfies z.input<typeof apiKeyRotationIn>,
    },
    atOnce: {
      summary: 'Without an overlap',
      value: { overlapHours: 0 } satisfies z.input<typeof apiKeyRotationIn>,
    },
  },
  needsConfirmation: () => true,
  responses: {
    201: {
      description: 'The new key, and the replaced one.',
      schema: apiKeyRotated,
      example: {
        key: NEW_KEY_EXAMPLE,
        apiKey: KEY_TEXT_EXAMPLE,
        previous: {
          ...KEY_EXAMPLE,
          expiresAt: '2026-09-04T13:02:44.108Z',
          state: 'expiring',
          replacedBy: NEW_KEY_EXAMPLE.id,
        },
      } satisfies z.input<typeof apiKeyRotated>,
    },
  },
  errors: ['not_found', 'key_not_rotatable', 'key_limit_reached'],
});

export const revokeApiKeyOperation = defineOperation({
  id: 'revokeApiKey',
  method: 'delete',
  path: '/partner-api/api-keys/:id',
  repeatable: true,
  params: KEY_ID,
  summary: 'Revoke an API key',
  description: `
Revokes a key permanently, within 5 seconds everywhere. It stays in the list. A repeat changes nothing and gets the
same response.`,
  needsConfirmation: () => true,
  responses: { 204: { description: 'Revoked.' } },
  errors: ['not_found'],
});
