import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { breakingApiChanges } from './api-changes.js';
import { apiViolations, isReleased, migrationViolations, RELEASED, writeRelease } from './last-release.js';

const PROJECT = path.resolve(import.meta.dirname, '../../../..');
const MIGRATIONS = 'services/job-state/src/database/migrations';

describe('a made-up release', () => {
  let root: string;

  beforeAll(() => {
    root = mkdtempSync(path.join(tmpdir(), 'partner-release-'));
    cpSync(path.join(PROJECT, MIGRATIONS), path.join(root, MIGRATIONS), { recursive: true });
  });
  afterAll(() => rmSync(root, { recursive: true }));

  test('is compared with the API and the migrations, once there is one', () => {
    expect(isReleased(root)).toBe(false);
    writeRelease(root);
    expect(isReleased(root)).toBe(true);
    expect(apiViolations(root)).toEqual([]);
    expect(migrationViolations(root)).toEqual([]);

    const file = path.join(root, RELEASED.folder, RELEASED.openApi);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"createLead"', '"makeLead"'));
    expect(apiViolations(root)).toEqual(['/inbound/leads/post/operationId: replace']);

    writeFileSync(path.join(root, MIGRATIONS, '9999-added.ts'), 'export const added = 1;\n');
    expect(migrationViolations(root)).toEqual([]);
    writeFileSync(path.join(root, MIGRATIONS, '0001-initial-schema.ts'), '\n');
    rmSync(path.join(root, MIGRATIONS, '0002-overdue-deliveries.ts'));
    expect(migrationViolations(root)).toEqual([
      `${MIGRATIONS}/0001-initial-schema.ts: has changed`,
      `${MIGRATIONS}/0002-overdue-deliveries.ts: is missing`,
    ]);
  });
});

const RELEASED_API = JSON.stringify({
  openapi: '3.1.1',
  components: {
    schemas: {
      LeadIn: {
        type: 'object',
        description: 'A lead.',
        properties: { name: { type: 'string', maxLength: 9 }, kind: { type: 'string', enum: ['A', 'B'] } },
        required: ['name'],
      },
      Lead: {
        type: 'object',
        properties: { id: { type: 'string' }, state: { type: 'string', enum: ['new'] } },
        required: ['id', 'state'],
      },
    },
  },
  paths: {
    '/leads': {
      post: {
        operationId: 'createLead',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/LeadIn' } } } },
        responses: {
          201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Lead' } } } },
        },
      },
    },
  },
  webhooks: {
    'lead.sold': {
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', properties: { leadId: { type: 'string' } }, required: ['leadId'] },
            },
          },
        },
      },
    },
  },
});

const changesOf = (from: string, to: string) => {
  expect(RELEASED_API).toContain(from);
  return breakingApiChanges(JSON.parse(RELEASED_API), JSON.parse(RELEASED_API.replace(from, to)));
};

test.each([
  ['a text', '"A lead."', '"Another lead."'],
  ['an optional field of a request', '"kind":{', '"note":{"type":"string"},"kind":{'],
  ['a longer text in a request', '"maxLength":9', '"maxLength":10'],
  ['a field of a response', '"id":{', '"note":{"type":"string"},"id":{'],
  ['a field of a webhook', '"leadId":{', '"note":{"type":"string"},"leadId":{'],
])('accepts %s', (_what, from, to) => {
  expect(changesOf(from, to)).toEqual([]);
});

test.each([
  ['a path that is missing', '"/leads":{', '"/lead":{'],
  ['a status that is missing', '"201":{', '"200":{'],
  ['another operationId', '"createLead"', '"makeLead"'],
  ['a required field of a request', '["name"]', '["name","kind"]'],
  ['a shorter text in a request', '"maxLength":9', '"maxLength":8'],
  ['a value that a request loses', '["A","B"]', '["A"]'],
  ['a field that a response loses', '"state":{', '"status":{'],
  ['a field of a response that becomes optional', '["id","state"]', '["id"]'],
  [
    'a field of a response that becomes nullable',
    '"id":{"type":"string"}',
    '"id":{"type":["string","null"]}',
  ],
  ['a value that a response did not have', '["new"]', '["new","old"]'],
  ['a webhook that is missing', '"lead.sold":{', '"lead.bought":{'],
  ['a field that a webhook loses', '"leadId":{', '"id":{'],
])('reports %s', (_what, from, to) => {
  expect(changesOf(from, to)).not.toEqual([]);
});
