import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { startPostgres } from '@partner/test-kit/backing-services/postgres';
import { migrate, query, ROLES } from './least-privilege/database-roles.js';

let server: Awaited<ReturnType<typeof startPostgres>>;
let directory: string;

/** The database as one of its users. */
function as(user: string): string {
  const url = new URL(server.url);
  url.username = user;
  url.pathname = '/partner';
  return url.href;
}

/** An administrator who is no superuser creates the users, before and after the migration. */
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-roles-'));
  // As root Postgres runs as another user, who has to get through.
  chmodSync(directory, 0o711);
  server = await startPostgres({
    directory: path.join(directory, 'postgres'),
    port: await freePort(),
    durable: false,
  });
  await query(
    server.url,
    'create role administrator login createrole',
    'create database partner owner administrator',
  );
  await query(as('administrator'), ROLES);
  await migrate(as('partner_owner'));
  await query(as('administrator'), ROLES);
});

afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('the user of the service', () => {
  test.each([
    'create table things ()',
    'drop table jobs',
    'truncate jobs',
    'alter table jobs add column more text',
    'create index on jobs (id)',
    'create schema things',
    'create temporary table things ()',
    'set role partner_owner',
    'update knex_migrations set batch = 2',
    `select drop_partition('jobs', 'jobs')`,
    `select drop_partition('events', 'jobs')`,
    `select drop_partition('events', 'events_default')`,
    `select attach_partition('events', 'jobs', 'a', 'b')`,
    `select create_partition('jobs', 'jobs_p20260101')`,
  ])('is refused: %s', async (statement) => {
    await expect(query(as('partner_app'), statement)).rejects.toThrow(
      /permission denied|must be owner|is no partition of/,
    );
  });

  test('may drop a partition of a partitioned table, by the function alone', async () => {
    const [made] = await query(
      as('partner_app'),
      `select create_partition('events', 'events_p20010101')`,
      `select attach_partition('events', 'events_p20010101', 'evt_00', 'evt_01')`,
    );
    expect(made?.rowCount).toBe(1);
    await expect(query(as('partner_app'), 'drop table events_p20010101')).rejects.toThrow('must be owner');
    await query(as('partner_app'), `select drop_partition('events', 'events_p20010101')`);
  });

  test('is the only one besides the owner who gets into the database', async () => {
    await query(server.url, 'create role partner_stranger login');
    await expect(query(as('partner_stranger'), 'select 1')).rejects.toThrow('permission denied');
  });
});
