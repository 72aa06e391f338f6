import { describe, expect, test } from '@jest/globals';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { exchange } from '../testing/http-app-fixture.js';

describe('a request that violates HTTP/1.1', () => {
  // HTTP/1.0 keeps a connection only if the client asks for it.
  const post = (headers: string, version = '1.1', connection = version === '1.0' ? 'keep-alive' : '') =>
    `POST /things HTTP/${version}\r\nx-api-key: full\r\nconnection: ${connection}\r\n${headers}\r\n\r\n`;
  const body = JSON.stringify({ address: '1 Oak St' });
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const json = 'host: a\r\ncontent-type: application/json\r\n';

  test.each([
    ['no host', post('x: y'), 400, 'host: must be sent exactly once'],
    ['two hosts', post('host: a\r\nhost: b'), 400, 'host: must be sent exactly once'],
    ['two hosts in HTTP/1.0', post('host: a\r\nhost: a', '1.0'), 400, 'host: must be sent exactly once'],
    [
      'an invalid host',
      post('host: http://a/'),
      400,
      'host: must be a host name or address, with an optional port',
    ],
    [
      'another transfer coding',
      post(`${json}transfer-encoding: gzip, chunked`) + chunks,
      501,
      'transfer-encoding: must be chunked; other codings are not supported',
    ],
    ...['gzip', 'identity', 'xchunked', ''].map((coding): [string, string, number, string] => [
      `a body that does not end in chunks (${coding})`,
      post(`${json}transfer-encoding: ${coding}`),
      400,
      'transfer-encoding: must be chunked, or absent',
    ]),
    [
      'chunks in HTTP/1.0',
      post(`${json}transfer-encoding: chunked`, '1.0') + chunks,
      400,
      'transfer-encoding: must be absent in HTTP/1.0',
    ],
    [
      'two content types',
      post(`${json}content-type: text/plain\r\ncontent-length: 2`, '1.1', 'close') + '{}',
      400,
      'content-type: must be sent only once',
    ],
  ])(
    'with %s is refused with an error body, is no failure of the service, and ends the connection [HTTP-6, HTTP-16, HTTP-22]',
    async (_what, bytes, status, error) => {
      const { head, body, handled, lines, metrics } = await exchange(bytes);
      const response = errorBody.parse(JSON.parse(body));
      expect(head).toContain(`HTTP/1.1 ${status} `);
      expect(head).toContain(`x-request-id: ${response.requestId}`);
      expect(response.error).toBe(error);
      expect(response.code).toBe(status === 501 ? 'not_implemented' : 'invalid_argument');
      expect(handled).toHaveLength(0);
      expect(head.toLowerCase()).toContain('connection: close');
      expect(await lines.atLeast(1)).toMatchObject([{ status, level: 'info' }]);
      expect(await metrics.metrics()).not.toContain('5xx');
    },
  );

  test.each([
    [
      'HTTP/1.0 without a host',
      post('content-type: application/json\r\ncontent-length: 22', '1.0', 'close') + body,
    ],
    [
      'an empty host',
      post(`${json.replace('host: a', 'host:')}transfer-encoding: chunked`, '1.1', 'close') + chunks,
    ],
    [
      'an address with a port',
      post(`${json.replace('host: a', 'host: [::1]:8080')}transfer-encoding: Chunked`, '1.1', 'close') +
        chunks,
    ],
  ])('is not: %s [HTTP-6]', async (_what, bytes) => {
    expect((await exchange(bytes)).head).toContain('HTTP/1.1 200 ');
  });
});
