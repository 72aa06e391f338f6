import { expect, test } from '@jest/globals';
import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { newId } from '@partner/kernel/process/ids';
import { addKey } from '@partner/local-stack/stack/add-company';
import { requestsOf, withBody, withHeader, withReversedBody } from './requests-of.js';
import { expectError } from '../surfaces/send.js';
import { isOnJob, kindFor, operationOf, SURFACE_OPERATIONS } from '../surfaces/surface-operations.js';
import { readJob, validRequest } from '../surfaces/valid-request.js';
import type { AcceptanceWorld } from './acceptance-world.js';

const WITH_KEY_HEADER = SURFACE_OPERATIONS.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
const INSTALLER_WRITES = WITH_KEY_HEADER.filter(({ path }) => path.startsWith('/partner/v1/jobs/'));
const DAY_MS = 86_400_000;

const kindOwner = (operation: AnyOperation) =>
  kindFor(operation) === 'installer-company' ? 'installer' : 'seller';

export function describeIdempotency(world: () => AcceptanceWorld): void {
  const { send, expectSuccess, valid, onJob } = requestsOf(world);
  test.each(WITH_KEY_HEADER)(
    'of $id returns the original response again, byte for byte, and is kept for 45 days [IDEM-2, IDEM-5, LEAD-7]',
    async (operation) => {
      const request = await valid(operation);
      const before = Date.now();
      const first = await expectSuccess(request);
      const expires = Date.parse(first.headers.get('idempotency-expires') ?? '');
      expect(expires).toBeGreaterThanOrEqual(before + 45 * DAY_MS);
      expect(expires).toBeLessThanOrEqual(Date.now() + 45 * DAY_MS);
      expect(first.headers.get('idempotency-replayed')).toBeNull();
      const job = await readJob(world().stack, world().side.jobId);
      const again = await send(withReversedBody(request));
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(await readJob(world().stack, world().side.jobId)).toEqual(job);
    },
  );

  test.each(WITH_KEY_HEADER)(
    'of $id gives 409 with another body or for another operation [ERROR-7, IDEM-2, IDEM-5, LEAD-7]',
    async (operation) => {
      const request = await valid(operation);
      await expectSuccess(request);
      expectError(await send(withBody(request, { changed: true })), 409, 'idempotency_mismatch');
      const others = WITH_KEY_HEADER.filter(
        (candidate) => candidate !== operation && kindOwner(candidate) === kindOwner(operation),
      );
      for (const candidate of others) {
        const otherRequest = await valid(candidate);
        const key = request.headers['idempotency-key'] ?? '';
        expectError(
          await send(withHeader(otherRequest, 'idempotency-key', key)),
          409,
          'idempotency_mismatch',
        );
      }
      if (isOnJob(operation)) {
        expectError(await send(onJob(request, newId('job'))), 409, 'idempotency_mismatch');
      }
    },
  );

  test.each(WITH_KEY_HEADER)(
    'of $id belongs to its owner: another company may use the same [IDEM-3]',
    async (operation) => {
      const request = await valid(operation);
      const key = request.headers['idempotency-key'] ?? '';
      await expectSuccess(request);
      const foreign = withHeader(await valid(operation, world().other), 'idempotency-key', key);
      const response = await expectSuccess(foreign);
      expect(response.headers.get('idempotency-replayed')).toBeNull();
    },
  );

  test.each(WITH_KEY_HEADER)('of $id is shared by all keys of its owner [IDEM-3]', async (operation) => {
    const request = await valid(operation);
    const first = await expectSuccess(request);
    const kind = kindFor(operation);
    const second = await addKey(world().stack.database, {
      companyId: kind === 'installer-company' ? world().side.installerId : world().side.sellerId,
      kind,
      boundCompanyId: world().side.installerId,
    });
    const again = await send(withHeader(request, 'x-api-key', second));
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
  });

  test.each(INSTALLER_WRITES)(
    'of $id keeps a 409 stale_version and a 422, and gives 409 before 422 [ERROR-7, ERROR-8, HTTP-5, IDEM-5]',
    async (operation) => {
      const impossible = {
        recordStatusEvent: { status: 'COMPLETE', blockerCode: undefined },
        setSchedule: { startsAt: '2026-09-02T15:00:00Z', endsAt: '2026-09-02T15:00:00Z' },
        replaceAssignments: { membershipIds: [newId('mem')] },
      };
      const fields = Object.entries(impossible).find(([id]) => id === operation.id)?.[1];
      if (fields === undefined) throw new Error(`say here what is a 422 of ${operation.id}`);
      const { version } = await readJob(world().stack, world().side.jobId);

      const stale = withBody(await valid(operation), { ...fields, expectedVersion: version + 1 });
      const refused = await send(stale);
      expect(expectError(refused, 409, 'stale_version').currentVersion).toBe(version);
      const unprocessable = withBody(await valid(operation), fields);
      const impossibleNow = await send(unprocessable);
      expect(impossibleNow.status).toBe(422);
      expect(await readJob(world().stack, world().side.jobId)).toMatchObject({ version });

      for (const [request, first] of [
        [stale, refused],
        [unprocessable, impossibleNow],
      ] as const) {
        expect(first.headers.get('idempotency-expires')).not.toBeNull();
        const again = await send(request);
        expect(again.headers.get('idempotency-replayed')).toBe('true');
        expect({ ...Object(again.json), requestId: '' }).toEqual({ ...Object(first.json), requestId: '' });
      }
    },
  );

  test('of an appointment is in its body: 201, then 200 with the same body, then 409 for another one [APPT-2, APPT-3, APPT-4, IDEM-4]', async () => {
    const request = await valid(operationOf('bookAppointment'));
    const first = await send(request);
    expect([first.status, first.json]).toEqual([
      201,
      { appointmentId: expect.stringMatching(/^appt_/), status: 'booked' },
    ]);
    const again = await send(withReversedBody(request));
    expect([again.status, again.text]).toEqual([200, first.text]);
    expectError(await send(withBody(request, { notes: 'changed' })), 409, 'idempotency_mismatch');
    const foreign = await validRequest(world().stack, world().other, operationOf('bookAppointment'));
    const sameKey = withBody(foreign, { idempotencyKey: request.body?.['idempotencyKey'] });
    expect((await send(sameKey)).status).toBe(201);
  });
}
