import type { RequestListener } from 'node:http';
import { expect, test } from '@jest/globals';
import request from 'supertest';
import { checkResponses } from './check-responses.js';

/** A hook that the test itself runs. */
function createHook() {
  const checks: (() => void)[] = [];
  return {
    afterEach: (check: () => void) => checks.push(check),
    run: () => checks.forEach((check) => check()),
  };
}

const listTechnicians =
  (body: object): RequestListener =>
  (_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.setHeader('x-request-id', 'req-1');
    response.setHeader('x-svc-api-version', '2026-08-26');
    response.setHeader('RateLimit', '"default";r=59;t=60');
    response.setHeader('RateLimit-Policy', '"default";q=60;w=60');
    response.end(JSON.stringify(body));
  };

test('a response that differs fails its own test and no later one', async () => {
  const hook = createHook();
  const page = { apiVersion: '2026-08-26', technicians: [{ membershipId: 'mem_1' }], nextCursor: null };
  const app = checkResponses(hook.afterEach)(listTechnicians({ ...page, hasMore: false }));

  await request(app).get('/partner/v1/technicians');

  expect(hook.run).toThrow(
    /GET \/partner\/v1\/technicians responded with 200: body\/technicians\/0 must have required property 'displayName'/,
  );
  expect(hook.run).not.toThrow();
});
