import { describe, expect, test } from '@jest/globals';
import { idFloor, instantOfId, isId, newId } from './ids.js';

describe('an id', () => {
  test('is its prefix and a part that sorts by time of creation [TENANT-4]', () => {
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

describe('the time of an id', () => {
  // A UUIDv7 of 2022-02-22T19:22:22.000Z (RFC 9562, A.6) as a TypeID.
  const id = 'job_01fwhe4ydgfk1shh6w1g60eecf';
  const at = new Date('2022-02-22T19:22:22.000Z');

  test('has a floor between the ids that were created before it and those created since', () => {
    expect(isId('job', idFloor('job', at))).toBe(true);
    expect(idFloor('job', at) <= id).toBe(true);
    expect(idFloor('job', new Date(at.getTime() + 1)) > id).toBe(true);

    const before = idFloor('dlv', new Date());
    const made = newId('dlv');
    const after = idFloor('dlv', new Date(Date.now() + 1));
    expect([made, after, before].sort()).toEqual([before, made, after]);
  });

  test('is its creation time', () => {
    expect(instantOfId('job', id)).toEqual(at);
    expect(instantOfId('dlv', id)).toBeUndefined();
    expect(instantOfId('job', id.slice(0, -1))).toBeUndefined();
  });
});
