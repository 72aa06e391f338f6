import { afterAll, beforeAll } from '@jest/globals';
import { openWebhookFixture, type WebhookFixture } from './webhook-fixture.js';

/** A separate database with webhooks for the test file that imports this. */
export let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await openWebhookFixture();
});

afterAll(() => fixture.close());
