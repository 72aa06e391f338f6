import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { jobAnswer } from '@partner/proto-contracts/public-api/installer-job';
import { expectError, type WireAnswer } from '../surfaces/send.js';
import type { AcceptanceWorld } from './acceptance-world.js';

type Fields = Readonly<Record<string, unknown>>;

/** What requests may hold, to the letter. */
export function describeInputFormats(world: () => AcceptanceWorld): void {
  const headersOf = (kind: 'general' | 'installer-contractor' | 'installer-company') => ({
    'x-api-key': world().side.keys[kind],
    'idempotency-key': randomUUID(),
  });
  const jobPath = () => `/partner/v1/jobs/${world().side.jobId}`;

  /** Sets the job's schedule at its present version. */
  async function putSchedule(fields: Fields): Promise<WireAnswer> {
    const headers = headersOf('installer-company');
    const job = await world().send({ method: 'GET', path: jobPath(), headers });
    return world().send({
      method: 'PUT',
      path: `${jobPath()}/schedule`,
      headers,
      json: {
        status: 'TENTATIVE',
        startsAt: '2026-12-01T15:00:00Z',
        endsAt: '2026-12-01T19:00:00Z',
        timeZone: 'America/Chicago',
        expectedVersion: jobAnswer.parse(job.json).resource.version,
        ...fields,
      },
    });
  }

  describe('a time zone', () => {
    test('takes zones and links of the tz database in their exact spelling alone', async () => {
      for (const timeZone of ['Europe/Kyiv', 'US/Central', 'EST', 'Etc/GMT+5']) {
        const answer = await putSchedule({ timeZone });
        expect(jobAnswer.parse(answer.json).resource.schedule.timeZone).toBe(timeZone);
      }
      const rule = 'timeZone: must be an IANA time zone name, written exactly';
      for (const [timeZone, hint] of [
        ['PST', ', e.g. America/Chicago'],
        ['SystemV/CST6CDT', ', e.g. America/Chicago'],
        ['Factory', ', e.g. America/Chicago'],
        ['America/chicago', ': America/Chicago'],
      ]) {
        const refused = expectError(await putSchedule({ timeZone }), 400, 'invalid_argument');
        expect(refused.error).toBe(`${rule}${hint}`);
      }
    });
  });
}
