import { expect, test } from '@jest/globals';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { exchangeBytes } from '../fuzz/exchange.js';
import { signIn } from '../support/owner-session.js';
import { expectError } from '../surfaces/send.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** HTTP/1.1 as RFC 9110 and 9112 say. Bytes go to a gateway itself: what an ingress makes of them is not ours. */
export function describeHttpProtocol(world: () => AcceptanceWorld): void {
  const gateway = () => world().stack.stack.description.services['inbound-gateway']?.url ?? '';
  const write = (headers: string, body: string) =>
    `POST /inbound/leads HTTP/1.1\r\nx-api-key: ${world().side.keys.general}\r\n${headers}\r\n\r\n${body}`;
  const leadAt = (address: string) =>
    JSON.stringify({ fullName: 'Ada Quill', email: 'ada@example.com', phone: '555-0100', address });
  const json = 'host: a\r\ncontent-type: application/json\r\n';

  test.each<[string, () => string, number, string]>([
    ['what is not HTTP', () => 'hello\r\n\r\n', 400, 'invalid_argument'],
    [
      'headers over 16 KB',
      () => `GET /inbound/jobs HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'invalid_argument',
    ],
    ['no host', () => 'GET /inbound/jobs HTTP/1.1\r\nx: y\r\n\r\n', 400, 'invalid_argument'],
    ['two hosts', () => 'GET /inbound/jobs HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n', 400, 'invalid_argument'],
    [
      'a transfer coding other than chunked',
      () => write(`${json}transfer-encoding: gzip, chunked`, '2\r\n{}\r\n0\r\n\r\n'),
      501,
      'not_implemented',
    ],
    [
      'a second content type',
      () => write(`${json}content-type: text/plain\r\ncontent-length: 2`, '{}'),
      400,
      'invalid_argument',
    ],
    [
      'a body over 1 MB whose client still writes',
      () => write(`${json}content-length: 1048577`, '{'),
      413,
      'payload_too_large',
    ],
  ])(
    'refuses %s with the error body and its request id [ERROR-1, HTTP-6, HTTP-7, HTTP-16]',
    async (_what, bytes, status, code) => {
      const response = await exchangeBytes(gateway(), bytes());
      const error = errorBody.parse(JSON.parse(response.text));
      expect({ status: response.status, code: error.code }).toEqual({ status, code });
      expect(response.header('x-request-id')).toBe(error.requestId);
    },
  );

  test.each(['/inbound/unknown', '/inbound/%6aobs', '/inbound//jobs', '/partner/v1/jobs/'])(
    'responds to %s with 404 in the error shape [HTTP-15, HTTP-16]',
    async (path) => {
      const response = await world().send({ method: 'GET', path, headers: {} });
      expect(expectError(response, 404, 'not_found').error).not.toBe('');
    },
  );

  test('responds to a write that surplus bytes follow [HTTP-7]', async () => {
    const lead = leadAt('1 Surplus Lane, Austin, TX 78701');
    const headers = `${json}content-length: ${lead.length}`;
    const response = await exchangeBytes(gateway(), write(headers, `${lead}surplus\r\n\r\n`));
    expect([response.status, response.text]).toEqual([201, expect.stringContaining('"status":"created"')]);
  });

  test('a query parameter in the wrong case or with brackets is a 400 that names the right one [HTTP-13]', async () => {
    const { stack, side } = world();
    const read = (path: string, kind: 'installer-contractor' | 'installer-company') =>
      world().send({ method: 'GET', path, headers: { 'x-api-key': side.keys[kind] } });
    for (const name of ['Limit', 'limit[]', 'limit[0]']) {
      const response = await read(`/partner/v1/jobs?${encodeURIComponent(name)}=1`, 'installer-company');
      expect(expectError(response, 400, 'invalid_argument').error).toBe(`${name}: must be written limit`);
    }
    const inbound = await read('/inbound/jobs?Take=1', 'installer-contractor');
    expect(expectError(inbound, 400, 'invalid_argument').error).toBe('Take: must be written take');
    const owner = await signIn(stack.baseUrl, stack.company('INSTALLER').owner);
    const events = await owner.call('GET', '/partner-api/events?resourceid=job_1');
    expect(events).toMatchObject({
      status: 400,
      json: { error: 'resourceid: must be written resourceId' },
    });
    expect((await read('/partner/v1/jobs?page=1&take=1', 'installer-company')).status).toBe(200);
  });
}
