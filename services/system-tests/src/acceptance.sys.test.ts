import { afterAll, beforeAll, describe } from '@jest/globals';
import { type AcceptanceWorld, startAcceptanceWorld } from './acceptance/acceptance-world.js';
import { describeCallers } from './acceptance/callers.js';
import { describeErrorBodies } from './acceptance/error-bodies.js';
import { describeInputFormats } from './acceptance/input-formats.js';
import { describeJournal } from './acceptance/journal.js';
import { describeRetrySchedule } from './acceptance/retry-schedule.js';
import { describeWebhookSubscriptions } from './acceptance/webhook-subscriptions.js';
import { describeHttpProtocol } from './acceptance/http-protocol.js';
import { describeTechnicalContact } from './acceptance/technical-contact.js';
import { describeTechnicians } from './acceptance/technicians.js';

/** What partners meet, driven over HTTP alone; each topic is a file of `acceptance/` and all share one stack. */
let started: AcceptanceWorld;
const world = () => started;

beforeAll(async () => {
  started = await startAcceptanceWorld();
});

afterAll(async () => {
  await started.stack.stop();
});

describe('error bodies', () => {
  describeErrorBodies(world);
});

describe('input formats', () => {
  describeInputFormats(world);
});

describe('callers', () => {
  describeCallers(world);
});

describe('webhook subscriptions', () => {
  describeWebhookSubscriptions(world);
});

describe('HTTP', () => {
  describeHttpProtocol(world);
});

describe('the journal', () => {
  describeJournal(world);
});

describe('the retry schedule', () => {
  describeRetrySchedule(world);
});

describe('the technical contact', () => {
  describeTechnicalContact(world);
});

describe('technicians', () => {
  describeTechnicians(world);
});
