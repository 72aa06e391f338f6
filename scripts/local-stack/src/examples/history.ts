import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type IdPrefix, idFloor, newId } from '@partner/kernel/process/ids';
import {
  AttemptOutcome,
  type DeliveryAttemptedSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { z } from 'zod';

const HOUR_MS = 3_600_000;
/** Longer than the eight attempts of a delivery take. */
const EVERY_MS = 4 * HOUR_MS;
const EVENTS = 30;
/** The failing receiver works before this time. */
const DOWN_FOR_MS = 24 * HOUR_MS;
const FIRST_RETRY_MS = 60_000;

export interface ExampleDelivery {
  readonly id: string;
  readonly event: Pick<ExampleEvent, 'id' | 'at' | 'isNewest'>;
  readonly hook: { readonly id: string; readonly durationMs: number; readonly isDown: boolean };
}

type ExampleEvent = Awaited<ReturnType<typeof historyOf>>[number];

const storedEvents = z.array(z.object({ id: z.string(), name: z.string(), body: z.instanceof(Buffer) }));
const envelope = z.looseObject({ id: z.string(), occurredAt: z.string() });

/** Copies the newest events of a company, one for every four hours until now, oldest first. */
export async function historyOf(
  client: Parameters<Parameters<typeof withPostgres>[1]>[0],
  companyId: string,
) {
  const { rows } = await client.query(
    'select id, name, body from events where company_id = $1 order by id desc limit $2',
    [companyId, EVENTS],
  );
  const now = Date.now();
  const made = storedEvents
    .parse(rows)
    .map(({ id: copyOf, name, body }, index) => {
      const at = new Date(now - index * EVERY_MS);
      const id = idAt('evt', at);
      const given = envelope.parse(JSON.parse(body.toString('utf8')));
      const copy = Buffer.from(JSON.stringify({ ...given, id, occurredAt: at.toISOString() }));
      const isNewest = index === 0;
      return { id, copyOf, name, at, isNewest, body: copy };
    })
    .reverse();
  await client.query(
    `insert into events (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body, created_at, sequence)
     select made.id, company_id, name, schema_version, made.at, resource_type, resource_id, resource_version, made.body, made.at, 0
     from unnest($1::text[], $2::text[], $3::timestamptz[], $4::bytea[]) as made (id, copy_of, at, body)
     join events copied on copied.id = made.copy_of`,
    [
      made.map(({ id }) => id),
      made.map(({ copyOf }) => copyOf),
      made.map(({ at }) => at),
      made.map(({ body }) => body),
    ],
  );
  return made;
}

/** The results of all attempts of a delivery of the past, at the times of the retry schedule. */
export function resultsOf({
  id,
  event,
  hook,
}: ExampleDelivery): MessageInitShape<typeof DeliveryAttemptedSchema>[] {
  const fails = hook.isDown && Date.now() - event.at.getTime() < DOWN_FOR_MS;
  return Array.from({ length: fails ? LIMITS.webhookAttempts : 1 }, (_, index) => {
    const startedAt = new Date(event.at.getTime() + FIRST_RETRY_MS * (2 ** index - 1));
    return {
      deliveryId: id,
      leaseId: id,
      urlVersion: 1,
      attempt: {
        deliveryId: idAt('dlv', startedAt),
        number: index + 1,
        startedAt: timestampFromDate(startedAt),
        durationMs: hook.durationMs + (event.at.getUTCHours() + index) * 3,
        outcome: fails ? AttemptOutcome.REJECTED : AttemptOutcome.DELIVERED,
        responseStatus: fails ? 503 : 200,
        responseBody: Buffer.from(JSON.stringify({ received: !fails })),
        secretVersion: 1,
      },
    };
  });
}

export function idAt(prefix: IdPrefix, at: Date): string {
  return idFloor(prefix, at).slice(0, -16) + newId(prefix).slice(-16);
}
