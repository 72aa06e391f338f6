import { fromJsonString, toBinary } from '@bufbuild/protobuf';
import { expect, test } from '@jest/globals';
import { EVENT_CATALOGUE } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { incoming, TEST_NOW } from '../testing/test-jobs.js';
import { createPlatformMessageHandler } from './handle-platform-message.js';
import { PLATFORM_MESSAGE_TYPES } from './platform-messages.js';
import { readContractPage } from './testing/contract-page.js';
import { database } from '../testing/file-database.js';

test('the examples of the platform contract page, sent from top to bottom, all have the described effect', async () => {
  const metrics = new Registry();
  const handle = createPlatformMessageHandler({
    database,
    clock: () => TEST_NOW,
    logger: silentLogger,
    metrics,
  });
  const { sections } = readContractPage();
  for (const { name, text, examples } of sections) {
    const schema = [...PLATFORM_MESSAGE_TYPES.values()].find((type) => type.schema.name === name)?.schema;
    for (const example of examples) {
      invariant(schema, 'an example is one of a message');
      const { leadId, companyId } = z
        .object({
          leadId: z.string().optional(),
          companyId: z.string().default('cmp_01j00000000000000000000001'),
        })
        .parse(JSON.parse(example));
      if (leadId !== undefined) {
        // A partner's request has created it.
        await database.query(
          `insert into leads (id, company_id, full_name, email, phone, address) values ($1, $2, '', '', '', '')`,
          [leadId, companyId],
        );
      }
      const before = await countEvents();
      const message = incoming(schema.typeName, toBinary(schema, fromJsonString(schema, example)));
      expect([name, await handle(message)]).toEqual([name, { kind: 'done' }]);
      const named = Object.keys(EVENT_CATALOGUE).filter((event) => text.includes(`\`${event}\``));
      const emitted = (await namesOfEvents()).slice(before);
      expect([name, emitted.every((event) => named.includes(event))]).toEqual([name, true]);
      expect([name, emitted.length > 0]).toEqual([name, named.length > 0]);
    }
  }
  expect(await database.query('select prerequisite_id from inbox where prerequisite_id is not null')).toEqual(
    [],
  );
  const counted = await metrics.getSingleMetric('partner_platform_messages_total')?.get();
  expect(new Set(counted?.values.map(({ labels }) => labels['result']))).toEqual(new Set(['applied']));

  async function namesOfEvents(): Promise<readonly string[]> {
    const rows = await database.query<{ name: string }>('select name from events order by id');
    return rows.map((row) => row.name);
  }
  async function countEvents(): Promise<number> {
    return (await namesOfEvents()).length;
  }
});
