import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { untilLockWaits } from '../testing/lock-waits.js';
import { insertCompany, jobAssignedMessage, jobCreatedMessage, TEST_NOW } from '../testing/test-jobs.js';
import { readPlatformMessage } from './platform-messages.js';
import { recordPlatformMessages } from './record-platform-message.js';
import { database } from '../testing/file-database.js';

/** The lock that a row of the tested table waits for once it is inserted. */
const GATE = 71;

let sellingCompanyId: string;
let jobIds: readonly string[];

beforeAll(async () => {
  await database.query(
    `create function wait_at_gate() returns trigger language plpgsql as
     $$ begin perform pg_advisory_xact_lock_shared(${GATE}); return null; end $$`,
  );
  for (const table of ['projects', 'contracted_installers']) {
    await database.query(
      `create trigger wait_at_gate after insert on ${table} for each row execute function wait_at_gate()`,
    );
  }
});

beforeEach(async () => {
  sellingCompanyId = await insertCompany(database, 'SALES');
  jobIds = Array.from({ length: 4 }, () => newId('job')).sort();
});

const record = (messages: readonly IncomingMessage[]) =>
  recordPlatformMessages(
    { database, clock: () => TEST_NOW, logger: silentLogger },
    messages.map((sent) => {
      const read = readPlatformMessage(sent.type, sent.body, TEST_NOW);
      invariant(read.kind === 'whole', 'the messages are valid');
      return { sent, message: read.message, run: (work) => work() };
    }),
  );

const created = (place: number, project: { readonly projectId?: string; readonly line1?: string } = {}) =>
  jobCreatedMessage({ jobId: jobIds[place] ?? '', sellingCompanyId, ...project });

/** Four messages: those of one transaction, then those of the other, which needs the same two things in the other order. */
const CASES: readonly (readonly [string, () => Promise<readonly IncomingMessage[]>])[] = [
  [
    'pairs of companies',
    async () => {
      const [one, two] = [
        await insertCompany(database, 'INSTALLER'),
        await insertCompany(database, 'INSTALLER'),
      ];
      await record([0, 1, 2, 3].map((place) => created(place)));
      return [one, two, two, one].map((installerCompanyId, place) =>
        jobAssignedMessage({ jobId: jobIds[place] ?? '', installerCompanyId }),
      );
    },
  ],
  [
    'projects',
    async () => {
      const [one, two] = [newId('prj'), newId('prj')];
      return [one, two, two, one].map((projectId, place) =>
        created(place, { projectId, line1: `${place} Maple Street` }),
      );
    },
  ],
  [
    'addresses of projects',
    async () =>
      ['1 Oak Street', '2 Oak Street', '2 Oak Street', '1 Oak Street'].map((line1, place) =>
        created(place, { projectId: newId('prj'), line1 }),
      ),
  ],
];

test.each(CASES)(
  'two transactions that add the same %s in another order do not deadlock',
  async (_what, messages) => {
    const all = await messages();
    const recording = await database.transaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(${GATE})`);
      const both = Promise.allSettled([record(all.slice(0, 2)), record(all.slice(2))]);
      await untilLockWaits(database, 2);
      return { both };
    });
    const value = { effects: [{ kind: 'applied' }, { kind: 'applied' }] };
    expect(await recording.both).toMatchObject([{ value }, { value }]);
  },
);
