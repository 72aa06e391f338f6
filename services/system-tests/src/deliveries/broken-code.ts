import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { PLATFORM_MESSAGES } from '@partner/proto-contracts/topology';

/**
 * Options of Node with which job-state is broken in two ways: the messages of the platform are acknowledged when they arrive, and a
 * delivery is claimed whether or not it has a lease.
 */
export function brokenCode(): string {
  const code = `
    import { createRequire } from 'node:module';
    const require = createRequire('${PROJECT_ROOT}/package.json');
    const { Channel } = require('${PROJECT_ROOT}/node_modules/amqplib/lib/channel_model.js');
    const { Client } = require('pg');
    const { consume } = Channel.prototype;
    Channel.prototype.consume = function (queue, handle, options) {
      if (queue !== '${PLATFORM_MESSAGES.name}') return consume.call(this, queue, handle, options);
      this.ack = this.nack = () => undefined;
      return consume.call(this, queue, handle, { ...options, noAck: true });
    };
    const { query } = Client.prototype;
    const isClaim = (name) => name === 'claim-due' || name === 'waiting-pending';
    Client.prototype.query = function (statement, ...rest) {
      if (!isClaim(statement?.name)) return query.call(this, statement, ...rest);
      const text = statement.text.replaceAll('d.lease_id is null', 'true').replaceAll('d.next_attempt_at <= now()', 'true');
      return query.call(this, { ...statement, text }, ...rest);
    };`;
  return `--import data:text/javascript,${encodeURIComponent(code)}`;
}

/** The numbers of events, from a sequence instead of under a lock of their company. */
export const NUMBERS_FROM_A_SEQUENCE = `
  create sequence event_sequence start 1000;
  create or replace function take_event_numbers(companies text[], events bigint[], queued jsonb[])
    returns setof event_numbers language sql volatile as $$
    insert into event_numbers
    select added.company, numbered.last, numbered.last, coalesce(newest.delivery_counts, '{}') || (
        select coalesce(jsonb_object_agg(key, coalesce((newest.delivery_counts ->> key)::bigint, 0) + value::bigint), '{}')
        from jsonb_each_text(added.queued))
    from unnest(companies, events, queued) as added (company, events, queued)
    cross join lateral (
      select max(nextval('event_sequence')) as last from generate_series(1, added.events)) numbered
    left join lateral (
      select n.delivery_counts from event_numbers n where n.company_id = added.company order by n.block desc limit 1
    ) newest on true
    returning *
  $$`;

/** Writes an event of the company of another one, which is committed when its transaction is. */
export const COPY_EVENT = `
  insert into events
    (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body, created_at, sequence)
  select $2, e.company_id, e.name, e.schema_version, e.occurred_at, e.resource_type, $3, e.resource_version,
    convert_to(replace(replace(convert_from(e.body, 'UTF8'), e.id, $2), e.resource_id, $3), 'UTF8'), now(), taken.last
  from events e cross join take_event_numbers(array[e.company_id], array[1]::bigint[], array['{}'::jsonb]) taken
  where e.id = $1`;
