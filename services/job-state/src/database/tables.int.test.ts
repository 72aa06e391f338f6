import { expect, test } from '@jest/globals';
import { database } from '../testing/file-database.js';
import type { Table } from './table.js';
import { TABLES } from './tables.js';

const OF_THE_SERVICE = `r.relnamespace = 'public'::regnamespace and r.relkind in ('r', 'p') and not r.relispartition
  and r.relname not like 'knex%'`;

function columnOf(deleted: Table['deleted']): string | null {
  if (typeof deleted === 'string') return null;
  if ('archivedBy' in deleted) return deleted.archivedBy;
  return 'partitionedBy' in deleted ? deleted.partitionedBy.column : null;
}

test('each table is declared, with the column that partitions it', async () => {
  const stored = await database.query<{ name: string; column: string | null }>(
    `select r.relname as name, a.attname as column from pg_class r
     left join pg_partitioned_table p on p.partrelid = r.oid
     left join pg_attribute a on a.attrelid = r.oid and a.attnum = p.partattrs[0]
     where ${OF_THE_SERVICE} order by r.relname collate "C"`,
  );
  const declared = TABLES.map(({ name, deleted }) => ({ name, column: columnOf(deleted) }));
  expect(declared.sort((one, other) => (one.name < other.name ? -1 : 1))).toEqual(stored);
});

test('every column of text, JSON or bytes is either personal data or listed as none [PERSON-1]', async () => {
  const columns = await database.query<{ table: string; column: string }>(
    `select c.table_name as table, c.column_name as column from information_schema.columns c
     join pg_class r on r.relname = c.table_name and ${OF_THE_SERVICE}
     where c.table_schema = 'public'
       and c.data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'xml', 'ARRAY', 'inet', 'USER-DEFINED')`,
  );
  const stored = columns
    .filter(({ column }) => column !== 'durations')
    .map(({ table, column }) => `${table}.${column}`);
  const listed = TABLES.flatMap(({ name, plain, customer }) =>
    [...plain.split(/\s+/).filter(Boolean), ...Object.keys(customer?.personal ?? {})].map(
      (column) => `${name}.${column}`,
    ),
  );
  const isFlag = (column: string) => column.endsWith('.sms_consent');
  expect(listed.filter((column) => !isFlag(column)).sort()).toEqual(stored.sort());
});
