import { afterAll, beforeAll } from '@jest/globals';
import { type JobWriteFixture, openJobWriteFixture } from './job-write-fixture.js';

/** The companies and jobs of the test file that imports this, in a separate database. */
export let fixture: JobWriteFixture;

beforeAll(async () => {
  fixture = await openJobWriteFixture();
});

afterAll(() => fixture.close());
