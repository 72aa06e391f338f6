import { expect, test } from '@jest/globals';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import { lintApiDescription } from './api-description.js';

const document = createOpenApiDocument({
  serverUrl: 'https://api.partner.example.org',
  sessionCookie: '__Host-svc_session',
});

/** Returns the document with one piece of its text replaced. */
function changed(from: string, to: string): unknown {
  const text = JSON.stringify(document);
  expect(text).toContain(from);
  return JSON.parse(text.replace(from, to));
}

test('the API description satisfies all recommended rules', async () => {
  await expect(lintApiDescription(document)).resolves.toEqual([]);
});

test.each([
  [
    'an example that does not fit',
    changed('"phone":{"type":"string",', '"phone":{"type":"integer",'),
    /#\/paths\/~1inbound~1leads\/post\/requestBody.*must be integer.*\(no-invalid-media-type-examples\)/,
  ],
  [
    'a schema that is missing',
    changed('"InstallerJob":{', '"InstallerJobs":{'),
    /Can't resolve \$ref \(no-unresolved-refs\)/,
  ],
  [
    'an operation without a summary',
    changed('"summary":"List technicians",', ''),
    /#\/paths\/~1partner~1v1~1technicians\/get\/summary: .*\(operation-summary\)/,
  ],
])('%s is a problem', async (_what, broken, problem) => {
  expect((await lintApiDescription(broken)).join('\n')).toMatch(problem);
});
