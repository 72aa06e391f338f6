import type { MoveConnections } from './move-connections.js';

const PAGE_ROWS = 500;

/**
 * Moves messages of the platform that wait in the source to the target, if they name a record of the moved companies. Returns their number.
 *
 * They are stored in the target first: a crash repeats a message and loses none, and a repeat has no second effect. Ids are found in the
 * text of a message, whatever its type.
 */
export async function forwardWaitingMessages(
  { source, target }: MoveConnections,
  companyIds: readonly string[],
): Promise<number> {
  let moved = 0;
  for (let after = ''; ;) {
    const { rows } = await source.query<WaitingMessage>(WAITING, [after, PAGE_ROWS]);
    const ids = [...new Set(rows.flatMap((row) => row.named))];
    const known = new Set(
      (await target.query<{ id: string }>(RECORDS_OF_COMPANIES, [companyIds, ids])).rows.map(({ id }) => id),
    );
    for (const { message_id: messageId, row, named } of rows) {
      if (!named.some((id) => known.has(id))) continue;
      await target.query(
        'insert into inbox select * from json_populate_record(null::inbox, $1) on conflict (message_id) do nothing',
        [row],
      );
      // The loop of the source can have given it up or recorded it meanwhile.
      await source.query('delete from inbox where message_id = $1 and prerequisite_id is not null', [
        messageId,
      ]);
      moved += 1;
    }
    if (rows.length < PAGE_ROWS) return moved;
    after = rows.at(-1)?.message_id ?? '';
  }
}

interface WaitingMessage {
  readonly message_id: string;
  /** The row as JSON text. */
  readonly row: string;
  /** What looks like ids in it. */
  readonly named: readonly string[];
}

const WAITING = `
  select message_id, row_to_json(t)::text as row, array(
    select named[1] from regexp_matches(
      concat_ws(' ', prerequisite_id, resource_id, encode(body, 'escape')), '[a-z]+_[0-9a-z]{26}', 'g') as named
  ) as named
  from inbox t where prerequisite_id is not null and message_id > $1 order by message_id limit $2`;

const RECORDS_OF_COMPANIES = `
  select named.id from unnest($2::text[]) as named (id)
  where named.id = any($1)
    or exists (select from leads where id = named.id and company_id = any($1))
    or exists (select from projects where id = named.id and company_id = any($1))
    or exists (select from jobs where id = named.id and selling_company_id = any($1))
    or exists (select from memberships where id = named.id and company_id = any($1))`;
