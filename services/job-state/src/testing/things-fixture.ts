import { beforeAll } from '@jest/globals';
import { database, testDatabase } from './file-database.js';

export { database, testDatabase };

beforeAll(async () => {
  await database.query('create table things (id integer primary key, name text)');
  await database.query(`insert into things values (1, 'one')`);
});
