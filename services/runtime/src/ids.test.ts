import { describe, expect, test } from '@jest/globals';
import { isId, newId } from './ids.js';

describe('an id', () => {
  test('is its prefix and a part that sorts by time of creation', () => {
    const ids = Array.from({ length: 100 }, () => newId('job'));
    for (const id of ids) {
      expect(id).toMatch(/^job_[0-9a-z]{26}$/);
      expect(isId('job', id)).toBe(true);
    }
    expect(new Set(ids).size).toBe(100);
    expect([...ids].sort()).toEqual(ids);
  });

  test.each([
    ['of another prefix', 'lead_01j9zz3n4sfh8b2v7v0c5k6m1a'],
    ['without a prefix', '01j9zz3n4sfh8b2v7v0c5k6m1a'],
    ['too short', 'job_01j9zz3n4sfh8b2v7v0c5k6m1'],
    ['too long', 'job_01j9zz3n4sfh8b2v7v0c5k6m1aa'],
    ['beyond 128 bits', 'job_81j9zz3n4sfh8b2v7v0c5k6m1a'],
    ['with a letter that is not used', 'job_01j9zz3n4sfh8b2v7v0c5k6m1u'],
    ['in capitals', 'job_01J9ZZ3N4SFH8B2V7V0C5K6M1A'],
    ['with a line end', 'job_01j9zz3n4sfh8b2v7v0c5k6m1a\n'],
    ['empty', ''],
  ])('is not a text that is %s', (_what, text) => {
    expect(isId('job', text)).toBe(false);
  });
});
