import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { ERROR_REASON_CATALOGUE } from '../api/error-reasons.js';
import { JOB_STATUS_MOVES } from '../resources/job/job-status-moves.js';
import { createOpenApiDocument } from './openapi.js';
import { exampleValues, objectsIn } from './testing/document-parts.js';
import { componentName, readApiDescription } from './api-description.js';
import { CONSOLE_OPERATIONS } from '../surfaces/console.js';
import { INBOUND_OPERATIONS } from '../surfaces/inbound.js';
import { INSTALLER_OPERATIONS } from '../surfaces/installer.js';
import { SCHEDULE_STATUS_MOVES } from '../resources/job/schedule-status-moves.js';
import { SIGNATURE_SCHEME } from '../api/versions.js';
import { EVENT_CATALOGUE } from '../resources/event-catalogue/catalogue.js';

const document = createOpenApiDocument({
  serverUrl: 'https://api.partner.example',
  sessionCookie: '__Host-svc_session',
});
const description = readApiDescription(document);
const OPERATIONS = [...INBOUND_OPERATIONS, ...INSTALLER_OPERATIONS, ...CONSOLE_OPERATIONS];

function described(id: string) {
  const found = description.operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`${id} is not described`);
  return found;
}

const codesOf = (id: string) => described(id).responses.flatMap(({ errorCodes }) => errorCodes);

test('every operation is described, and nothing else', () => {
  const expected = OPERATIONS.map(
    ({ id, method, path }) => `${id} ${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );

  expect(description.operations.map(({ id, method, path }) => `${id} ${method} ${path}`).sort()).toEqual(
    expected.sort(),
  );
  expect(new Set(expected).size).toBe(expected.length);
});

describe.each(OPERATIONS)('$id', (operation) => {
  test('names its required scope, for readers and programs', () => {
    expect(described(operation.id).scope).toBe(operation.scope);
    expect(described(operation.id).description).toContain(
      operation.scope === undefined ? '**Needs**' : `scope \`${operation.scope}\``,
    );
  });

  test('has examples of valid bodies', () => {
    const examples = Object.values(operation.bodyExamples ?? {});
    expect(examples.length > 0).toBe(operation.body !== undefined);
    for (const { value } of examples) {
      expect(operation.body?.safeParse(value)).toMatchObject({ success: true });
    }
  });

  test('has examples of fields and parameters that together are a valid request', () => {
    const { body, parameters } = described(operation.id);
    const named = componentName(body?.schema ?? {});
    const schema = named === undefined ? body?.schema : description.schemas[named];
    const whole: object[] = (body?.examples ?? []).map(({ value }) => ({
      ...z.looseObject({}).parse(value),
    }));
    for (const { properties = {}, required = [] } of schema?.oneOf ??
      (schema === undefined ? [] : [schema])) {
      const shown = exampleValues(Object.entries(properties));
      const base = whole.find((each) => required.every((name) => name in each || name in shown)) ?? {};
      const known = Object.entries(base).filter(([name]) => name in properties);
      const built = { ...Object.fromEntries(known), ...shown };
      expect([built, operation.body?.safeParse(built).error]).toEqual([built, undefined]);
    }
    const query = parameters.filter((each) => each.in === 'query');
    const sent = exampleValues(query.map(({ name, schema: type, example }) => [name, { ...type, example }]));
    expect([sent, operation.query?.safeParse(sent).error]).toEqual([sent, undefined]);
  });

  test('has for each response an example that its schema parses unchanged', () => {
    for (const { schema, example } of Object.values(operation.responses)) {
      expect(schema?.parse(example)).toEqual(example);
    }
  });

  test('explains each parameter of its path, and accepts its example', () => {
    const names = [...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(operation.params ?? {})).toEqual(names);
  });
});

describe('the errors of an operation', () => {
  test('that writes for an installer are all errors of a write', () => {
    expect(codesOf('setSchedule')).toEqual([
      'invalid_argument',
      'body_too_complex',
      'unauthenticated',
      'permission_denied',
      'not_found',
      'body_too_slow',
      'stale_version',
      'idempotency_mismatch',
      'idempotency_in_progress',
      'payload_too_large',
      'transition_not_allowed',
      'schedule_invalid',
      'rate_limited',
      'internal',
      'unavailable',
    ]);
  });

  test('without input and scope are those of credentials, limits and the service', () => {
    expect(codesOf('listWebhooks')).toEqual(['unauthenticated', 'rate_limited', 'internal', 'unavailable']);
  });

  test('of a versioned surface include a wrong version, whatever its other input', () => {
    expect(codesOf('listTechnicians')).toContain('invalid_argument');
  });

  test('that changes something in the console include a foreign origin', () => {
    expect(codesOf('activateWebhook')).toContain('permission_denied');
  });

  test('have an example and an action for each code', () => {
    for (const { responses } of description.operations) {
      for (const { errorCodes, body, description: text } of responses) {
        if (errorCodes.length === 0) continue;
        expect(body?.examples.map(({ name }) => name)).toEqual(errorCodes);
        for (const code of errorCodes) expect(text).toContain(`| \`${code}\` |`);
      }
    }
  });
});

test('an error response is defined once, for all operations with the same codes', () => {
  const { responses = {} } = document.components ?? {};
  const written = Object.values(responses).map((response) => JSON.stringify(response));
  expect(new Set(written).size).toBe(written.length);
  const used = objectsIn(document.paths).flatMap(({ $ref }) => (typeof $ref === 'string' ? $ref : []));
  expect(new Set(used.filter((name) => name.startsWith('#/components/responses/')))).toEqual(
    new Set(Object.keys(responses).map((name) => `#/components/responses/${name}`)),
  );
  expect(objectsIn(document.paths).filter((node) => 'x-error-codes' in node)).toEqual([]);
});

test('an example that needs a recent date has the day on which the document is served', () => {
  const later = readApiDescription(
    createOpenApiDocument({ serverUrl: 'https://a.example', sessionCookie: 'a', today: '2031-02-03' }),
  );
  const write = later.operations.find(({ id }) => id === 'recordStatusEvent');
  expect(write?.body?.examples.map(({ value }) => value)).toMatchObject([
    { occurredAt: '2031-02-03T00:00:00Z' },
    { occurredAt: '2031-02-03T00:00:00Z' },
  ]);
  expect(later.schemas['StatusEventIn']?.properties?.['occurredAt']).not.toHaveProperty('examples');
});

test('responses and webhooks are open to later fields [VERSION-2]', () => {
  expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
});

test('the size of a page is a number with its bounds and default', () => {
  const [limit] = described('listJobFeed').parameters.filter(({ name }) => name === 'limit');
  expect(limit).toMatchObject({ schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 } });
  expect(limit?.schema.pattern).toBeUndefined();
  const [take] = described('listContractorJobs').parameters.filter(({ name }) => name === 'take');
  expect(take).toMatchObject({ schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 } });
});

test('the headers of a write describe its replay', () => {
  const write = described('recordStatusEvent');
  expect(write.parameters.filter(({ name }) => name === 'Idempotency-Key')).toMatchObject([
    { in: 'header', required: true, schema: { maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' } },
  ]);
  const [created] = write.responses;
  expect(created?.headers.map(({ name }) => name)).toEqual([
    'x-request-id',
    'x-svc-api-version',
    'RateLimit-Policy',
    'RateLimit',
    'idempotency-expires',
    'idempotency-replayed',
  ]);
});

test('a conditional read can return 304, with the same headers', () => {
  for (const id of ['listJobFeed', 'getJob']) {
    const read = described(id);
    expect(read.parameters.map(({ name }) => name)).toContain('If-None-Match');
    const [ok, unchanged] = read.responses;
    expect(unchanged).toMatchObject({ status: '304', headers: ok?.headers });
    expect(unchanged?.body).toBeUndefined();
  }
});

test('a 401 response has the remaining number of failures', () => {
  const [refused] = described('getJob').responses.filter(({ status }) => status === '401');
  expect(refused?.headers.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['RateLimit', 'RateLimit-Policy']),
  );
});

test('429 and 503 say when to retry', () => {
  for (const { responses } of description.operations) {
    for (const { status, headers } of responses) {
      const retryAfter = headers.filter(({ name }) => name === 'retry-after');
      expect(retryAfter.map(({ required }) => required)).toEqual(
        status === '429' || status === '503' ? [true] : [],
      );
    }
  }
});

test('every event is described as a webhook, with all headers and an example', () => {
  expect(description.webhooks.map(({ path }) => path)).toEqual(Object.keys(EVENT_CATALOGUE));
  for (const { path, parameters, body } of description.webhooks) {
    expect(parameters.map(({ name }) => name)).toEqual([
      'x-svc-event',
      'x-svc-test',
      'x-svc-subscription-id',
      'x-svc-number',
      'x-svc-delivery-id',
      'x-svc-timestamp',
      'x-svc-secret-version',
      'x-svc-signature',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'traceparent',
    ]);
    expect(body?.examples.map(({ value }) => value)).toMatchObject([{ event: path }]);
  }
});

type Verification = (headers: object, body: Buffer, secrets: object) => boolean;
const verification = z.custom<Verification>((value) => typeof value === 'function');

describe('the guide', () => {
  const { guide } = description;

  test('explains every code with its action', () => {
    for (const [reason, { httpStatus, meaning, action }] of Object.entries(ERROR_REASON_CATALOGUE)) {
      expect(guide).toContain(`| ${httpStatus} | \`${reason}\` | ${meaning} | ${action} |`);
    }
  });

  test('shows the allowed transitions', () => {
    const rows = [...Object.entries(JOB_STATUS_MOVES), ...Object.entries(SCHEDULE_STATUS_MOVES)];
    for (const [status, moves] of rows) {
      const cell = moves.length === 0 ? 'none' : moves.map((move) => `\`${move}\``).join(', ');
      expect(guide).toContain(`| \`${status}\` | ${cell} |`);
    }
  });

  test('names every event of the catalogue', () => {
    for (const event of Object.keys(EVENT_CATALOGUE)) expect(guide).toContain(`| \`${event}\` |`);
  });

  test('has every section that is referred to', () => {
    const anchors = [...guide.matchAll(/^## (.*)$/gm)].map(([, heading = '']) =>
      heading.toLowerCase().replaceAll(' ', '-'),
    );
    const texts = [guide, ...description.operations.map((operation) => operation.description)];
    for (const [, anchor] of texts.flatMap((text) => [...text.matchAll(/\]\(#([^)]*)\)/g)])) {
      expect(anchors).toContain(anchor);
    }
  });

  test('shows the backoff of the specification', () => {
    expect(guide).toContain('1, 2, 4, 8, 16, 32, 64 minutes');
  });

  test('has webhook verification code that accepts only signed bodies', async () => {
    const [, recipe = ''] = /```js\n([^`]*)```/.exec(guide) ?? [];
    const module: unknown = await import(`data:text/javascript,${encodeURIComponent(recipe)}`);
    const { isFromService } = z.object({ isFromService: verification }).parse(module);
    const body = Buffer.from('{"id":"evt_1","note":"déjà vu"}');
    const headersAt = (seconds: number, secret = 'whsec_current') => {
      const timestamp = String(Math.floor(Date.now() / 1_000) + seconds);
      const hex = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
      return {
        'x-svc-timestamp': timestamp,
        'x-svc-secret-version': '2',
        'x-svc-signature': `${SIGNATURE_SCHEME}=${hex}`,
      };
    };
    const secrets = new Map([
      ['1', 'whsec_former'],
      ['2', 'whsec_current'],
    ]);

    expect(isFromService(headersAt(0), body, secrets)).toBe(true);
    expect(isFromService(headersAt(0), Buffer.from(`${body.toString()} `), secrets)).toBe(false);
    expect(isFromService(headersAt(0, 'whsec_former'), body, secrets)).toBe(false);
    expect(isFromService({ ...headersAt(0), 'x-svc-secret-version': '3' }, body, secrets)).toBe(false);
    expect(isFromService(headersAt(-400), body, secrets)).toBe(false);
    expect(isFromService(headersAt(400), body, secrets)).toBe(false);
    expect(isFromService({}, body, secrets)).toBe(false);
    for (const version of ['constructor', '__proto__']) {
      expect(isFromService({ ...headersAt(0), 'x-svc-secret-version': version }, body, secrets)).toBe(false);
    }
  });
});
