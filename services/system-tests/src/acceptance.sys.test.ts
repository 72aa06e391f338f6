import { afterAll, beforeAll, describe } from '@jest/globals';
import { type AcceptanceWorld, startAcceptanceWorld } from './acceptance/acceptance-world.js';
import { describeFaultScripts } from './acceptance/fault-scripts.js';
import { describeGeneratedClients } from './acceptance/generated-clients.js';
import { describeIdempotency } from './acceptance/idempotency.js';
import { describeKeys } from './acceptance/keys.js';
import { describeOperations } from './acceptance/operations.js';
import { describeWebhookSubscriptions } from './acceptance/webhook-subscriptions.js';
import { describeWhoMayDoWhat } from './acceptance/who-may-do-what.js';

/** What partners meet, driven over HTTP alone; each topic is a file of `acceptance/` and all share one stack. */
let started: AcceptanceWorld;
const world = () => started;

beforeAll(async () => {
  started = await startAcceptanceWorld();
});

afterAll(async () => {
  await started.stack.stop();
});

// Each topic takes its turn; the first one expects that nothing else changes the database.
describe.each([
  ['of all operations,', describeWhoMayDoWhat],
  ['operations', describeOperations],
  ['an Idempotency-Key', describeIdempotency],
  ['webhook subscriptions', describeWebhookSubscriptions],
  ['fault scripts', describeFaultScripts],
  ['keys', describeKeys],
  ['a generated client', describeGeneratedClients],
] as const)('%s', (_topic, describeTopic) => {
  describeTopic(world);
});
