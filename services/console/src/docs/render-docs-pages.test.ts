import { readFileSync } from 'node:fs';
import { execFile, execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { occurredAtProblem, statusEventIn } from '@partner/proto-contracts/resources/job/job-writes';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import { type ApiDescription, readApiDescription } from '@partner/proto-contracts/openapi/api-description';
import { renderDocsPages } from './render-docs-pages.js';
import { PATHS } from './render-page.js';
import { curlCommand, requestExamples } from './request-examples.js';

const description = readApiDescription(
  createOpenApiDocument({ serverUrl: 'https://api.partner.example', sessionCookie: '__Host-svc_session' }),
);
const pages = renderDocsPages(description, true);
const page = pages.get('/docs/all') ?? '';

const idsOf = (text: string) => [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id);

function operation(id: string) {
  const found = description.operations.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`${id} is not described`);
  return found;
}

test('every operation, event and chapter has its own anchor on the page of its section, and every link of a page has a target [DOCS-6]', () => {
  const idsByPath = new Map([...pages].map(([path, text]) => [path, idsOf(text)]));
  for (const ids of idsByPath.values()) expect(new Set(ids).size).toBe(ids.length);
  for (const { id, tag } of description.operations) {
    expect(idsByPath.get(`/docs/${tag.toLowerCase()}`)).toContain(id);
    expect(idsByPath.get('/docs/all')).toContain(id);
  }
  for (const { path } of description.webhooks)
    expect(idsByPath.get('/docs/webhooks')).toContain(`event-${path}`);
  for (const [path, text] of pages) {
    for (const [, to = '', anchor] of text.matchAll(/href="((?:\/docs(?:\/\w+)?)?)(?:#([^"]*))?"/g)) {
      const ids = idsByPath.get(to === '' ? path : to);
      if (to === PATHS.changelog) continue;
      if (anchor === undefined) expect([to, ids]).not.toEqual([to, undefined]);
      else expect(ids).toContain(anchor);
    }
  }
});

test('the contents link to every section, and nothing else', () => {
  const parts = [...page.matchAll(/<article class="entry" id="([^"]*)"/g)].map(([, id]) => id);
  const lines = [...page.matchAll(/data-for="([^"]*)"/g)].map(([, id]) => id);
  expect(lines).toEqual(parts);
});

test('every field, header, error and event of the description is on the page', () => {
  const names = [...description.operations, ...description.webhooks].flatMap(({ parameters, responses }) => [
    ...parameters.map(({ name }) => name),
    ...responses.flatMap(({ headers, errorCodes }) => [...headers.map(({ name }) => name), ...errorCodes]),
  ]);
  const fields = Object.values(description.schemas).flatMap(({ properties = {} }) => Object.keys(properties));
  for (const name of new Set([...names, ...fields])) expect(page).toContain(`${name}<`);
});

test('an error shows its meaning and what to do', () => {
  expect(page).toMatch(
    /stale_version<\/code> <small><\/small><\/dt>\s*<dd>.*Read the resource again and send the request with its current version/,
  );
});

test('only the sandbox has a form for each operation with an API key [DOCS-1]', () => {
  const withKey = description.operations.filter(({ credentials }) => credentials === 'apiKeyHeader');
  const forms = [...page.matchAll(/<form data-method="(\w+)" data-path="([^"]*)"/g)];
  expect(forms.map(([, method, path]) => `${method} ${path}`)).toEqual(
    withKey.map(({ method, path }) => `${method} ${path}`),
  );
  const inProduction = [...renderDocsPages(description, false).values()].join('');
  expect(inProduction).not.toContain('<form data-method');
  expect(inProduction).not.toContain('try-it');
});

test('text from the description is escaped', () => {
  const hostile = '"><img src=x onerror=alert(1)>';
  const [first] = description.operations;
  const hostileOperation = {
    ...operation('createLead'),
    id: `a${hostile}`,
    summary: hostile,
    description: hostile,
    path: hostile,
  };
  const changed: ApiDescription = {
    ...description,
    title: hostile,
    guide: `${hostile}\n\n## ${hostile}\n\n${hostile}`,
    serverUrl: 'https://api.partner.example/' + hostile,
    operations: first === undefined ? [] : [hostileOperation],
    schemas: { ...description.schemas, Error: { properties: { [hostile]: { description: hostile } } } },
  };

  for (const text of renderDocsPages(changed, true).values()) expect(text).not.toContain('<img src=x');
});

describe('the curl command', () => {
  test('of a write has its key, its idempotency key and its body', () => {
    expect(curlCommand(operation('setSchedule'), description)).toBe(
      `curl -sS -X PUT 'https://api.partner.example/partner/v1/jobs/job_01k3jb8w4fe6ts0c9mzp5xq7ra/schedule' \\
  -H "x-api-key: $API_KEY" \\
  -H "Idempotency-Key: $(date +%s%N)" \\
  -H 'content-type: application/json' \\
  -d '{
    "status": "CONFIRMED",
    "startsAt": "2026-09-04T13:00:00Z",
    "endsAt": "2026-09-04T21:00:00Z",
    "timeZone": "America/Chicago",
    "expectedVersion": 7
  }'`,
    );
  });

  test("of a write that needs a recent time uses the shell's clock", () => {
    const command = curlCommand(operation('recordStatusEvent'), description);
    const [, body = ''] = / -d ('.*')$/s.exec(command) ?? [];
    const sent = execFileSync('sh', ['-c', `printf %s ${body}`], { encoding: 'utf8' });
    const { data } = statusEventIn.safeParse(JSON.parse(sent));
    expect(occurredAtProblem(new Date(data?.occurredAt ?? 0), new Date())).toBeUndefined();
  });

  test('of a read is short', () => {
    expect(curlCommand(operation('listTechnicians'), description)).toBe(
      `curl -sS 'https://api.partner.example/partner/v1/technicians' \\\n  -H "x-api-key: $API_KEY"`,
    );
  });

  test('of the console acts from its own origin with the cookie stored by the login', () => {
    expect(curlCommand(operation('createSession'), description)).toContain('-c cookies.txt');
    expect(curlCommand(operation('pauseWebhook'), description)).toBe(
      `curl -sS -X POST 'https://api.partner.example/partner-api/webhooks/whk_01k3h5d8vqf2mw7x0r4tn6ysbe/pause' \\
  -b cookies.txt \\
  -H 'Origin: https://api.partner.example'`,
    );
  });

  test('quotes any value as one shell word', () => {
    const quoting = {
      ...operation('appendJobNote'),
      body: { schema: {}, examples: [{ name: 'a', summary: 'A', value: { note: "it's $(here)" } }] },
    };
    expect(curlCommand(quoting, description)).toContain(`"note": "it'\\''s $(here)"`);
  });
});

describe('a request as code', () => {
  test('is given in four languages and with both clients for an API key, and not for a session', () => {
    const languages = requestExamples(operation('setSchedule'), description).map(({ language }) => language);
    expect(languages).toEqual([
      ...['TypeScript (client)', 'Python (client)'],
      ...['TypeScript (fetch)', 'Python (requests)', 'Go', 'Java (java.net.http)'],
    ]);
    expect(requestExamples(operation('pauseWebhook'), description)).toEqual([]);
  });

  test('with the Python client names a module, a function and a model that it has', () => {
    const gen = new URL(
      '../../../../proto-contracts/clients/python/src/partner_client/gen/',
      import.meta.url,
    );
    const read = (file: string) => readFileSync(new URL(file, gen), 'utf8');
    const samples = description.operations.flatMap((each) =>
      requestExamples(each, description).flatMap(({ language, code }) =>
        language === 'Python (client)' ? [{ each, code }] : [],
      ),
    );
    expect(samples.length).toBeGreaterThan(10);
    for (const { each, code } of samples) {
      const [, automated] = /gen\.automation import (\w+)/.exec(code) ?? [];
      if (automated !== undefined) {
        expect(read('automation.py')).toContain(`def ${automated}(`);
        continue;
      }
      const [, tag = '', module = ''] = /gen\.api\.(\w+) import (\w+)/.exec(code) ?? [];
      expect(read(`api/${tag}/${module}.py`)).toContain('def sync(');
      const [, model] = /gen\.models import (\w+)/.exec(code) ?? [];
      expect(model === undefined).toBe(each.body === undefined);
      if (model !== undefined) expect(read('models/__init__.py')).toContain(`import ${model}\n`);
    }
  });

  test.each(['TypeScript (client)', 'TypeScript (fetch)'])('in %s sends the example', async (wanted) => {
    const received: unknown[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const { method, url, headers } = request;
        const parsed: unknown = JSON.parse(body);
        received.push({ method, url, key: headers['idempotency-key'], body: parsed });
        response.setHeader('content-type', 'application/json').end('{}');
      });
    });
    const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'port' });
    try {
      const serverUrl = `http://127.0.0.1:${port}`;
      const examples = requestExamples(operation('setSchedule'), { ...description, serverUrl });
      const { code = '' } = examples.find(({ language }) => language === wanted) ?? {};
      await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
      expect(received).toEqual([
        {
          method: 'PUT',
          url: '/partner/v1/jobs/job_01k3jb8w4fe6ts0c9mzp5xq7ra/schedule',
          key: wanted.includes('fetch')
            ? 'A_NEW_KEY_FOR_EACH_REQUEST'
            : expect.stringMatching(/^[0-9a-f-]{36}$/),
          body: operation('setSchedule').body?.examples[0]?.value,
        },
      ]);
    } finally {
      await closeServer(server);
    }
  });
});
