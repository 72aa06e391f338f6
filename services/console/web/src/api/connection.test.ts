import { expect, jest, test } from '@jest/globals';
import { ApiError } from './api-client.js';
import { createConnection } from './connection.js';

const failure = (status: number) => new ApiError('', { status, code: 'any' });
const loaded = { data: 1, error: null, dataUpdatedAt: 5_000 };

test('is lost since the last data of what failed to load again, until all of it loads', () => {
  const connection = createConnection();
  const listen = jest.fn();
  connection.subscribe(listen);
  const old = { ...loaded, dataUpdatedAt: 3_000, error: failure(503) };
  connection.note([loaded, old]);
  expect(connection.lostAt()).toBe(3_000);
  // Older data that fails later does not move the time.
  connection.note([{ ...old, dataUpdatedAt: 1_000 }, old]);
  expect(connection.lostAt()).toBe(3_000);
  expect(listen).toHaveBeenCalledTimes(1);
  connection.note([loaded]);
  expect(connection.lostAt()).toBeUndefined();
});

test.each([
  [0, true],
  [200, true],
  [503, true],
  [404, false],
])('after a failed reload with status %d the connection is lost: %s', (status, isLost) => {
  const connection = createConnection();
  const error = failure(status);
  connection.note([{ ...loaded, error }]);
  expect(connection.lostAt() !== undefined).toBe(isLost);
  connection.note([{ ...loaded, data: undefined, error }]);
  expect(connection.lostAt()).toBeUndefined();
});
