import { expect, test } from '@jest/globals';
import type { ApiVersionLife } from '@partner/proto-contracts/api/versions';
import { createApiVersions } from './api-versions.js';

const older: ApiVersionLife = {
  ...{ date: '2026-03-01', announced: '2026-03-01' },
  superseded: { ends: '2026-11-24', link: '/changelog' },
};
const current: ApiVersionLife = { date: '2026-08-26', announced: '2026-08-20' };

test.each([
  ['2026-11-23T23:59:59.999Z', undefined, current, undefined],
  ['2026-11-23T23:59:59.999Z', current.date, current, undefined],
  ['2026-11-23T23:59:59.999Z', older.date, older, undefined],
  ['2026-11-23T23:59:59.999Z', '2026-08-27', current, 'must be one of 2026-03-01, 2026-08-26'],
  ['2026-11-24', older.date, current, 'must be 2026-08-26; 2026-03-01 ended on 2026-11-24'],
  ...['', '2026-03-02', '2026-08-26, 2026-08-26', ' 2026-08-26', '__proto__'].map(
    (header) => ['2026-11-24', header, current, 'must be 2026-08-26'] as const,
  ),
] as const)('at %s the header %j selects %j: %s [VERSION-7, VERSION-8]', (now, header, life, problem) => {
  const selected = createApiVersions([older, current], () => new Date(now)).select(header);
  expect([selected.version.date, selected.problem]).toEqual([life.date, problem]);
  expect(selected.version.headers).toEqual({
    'x-svc-api-version': life.date,
    ...(life === older && {
      Deprecation: '@1787184000',
      Sunset: 'Tue, 24 Nov 2026 00:00:00 GMT',
      Link: '</changelog>; rel="deprecation"',
    }),
  });
});
