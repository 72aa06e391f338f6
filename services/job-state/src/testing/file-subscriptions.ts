import { afterAll, beforeAll } from '@jest/globals';
import { openSubscriptionFixture, type SubscriptionFixture } from './subscription-fixture.js';

/** A separate database with the subscription service for the test file that imports this. */
export let fixture: SubscriptionFixture;
export let client: SubscriptionFixture['client'];

beforeAll(async () => {
  fixture = await openSubscriptionFixture();
  ({ client } = fixture);
});

afterAll(() => fixture.close());
