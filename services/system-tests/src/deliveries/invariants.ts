import { LIMITS } from '@partner/proto-contracts/api/limits';
import { READING_INVARIANTS } from './reading-invariants.js';

/** What two clocks, or one clock that is read in two ways, can differ by, in milliseconds. */
const CLOCK_READING_MS = 2;

/**
 * Rules of deliveries, each with a query that selects its violations from the service's tables and the recorded history. A POST
 * whose result was lost is made again, and a result that came late is shown: both across an unsettled time alone.
 */
export const INVARIANTS = {
  'each acknowledged write has made each of its events once': `
    select w.*, count(m.id) as events, case count(m.id) when 0 then 'LOST' end as verdict
    from written w left join made m using (company_id, name, resource_id, resource_version)
    group by w.company_id, w.name, w.resource_id, w.resource_version, w.sent, w.responded
    having count(m.id) <> 1`,

  'each acknowledged lead is kept, and those with the same address are one': `
    select led.*, case count(kept.id) when 0 then 'LOST' end as verdict
    from (select company_id, address, min(lead_id) as lead_id, count(distinct lead_id) as leads from led group by 1, 2) led
    left join leads kept on kept.id = led.lead_id and kept.company_id = led.company_id
    group by led.company_id, led.address, led.lead_id, led.leads having count(kept.id) <> 1 or led.leads <> 1`,

  'each event is of an acknowledged write, or the test of a subscription of its company': `
    select id, company_id, name, resource_id, resource_version
    from made m left join written w using (company_id, name, resource_id, resource_version)
    where w.sent is null and not (name = 'install.test' and exists (
      select from subscriptions s where s.id = m.resource_id and s.company_id = m.company_id))`,

  // While a change of the state is in flight, both are right. A back-fill at the end of a pause sends what was missed.
  'an active subscription gets one delivery of each event that it wants, a paused one none': `
    with due as (
      select subscription_id, event_id,
        is_test or exists (
          select from pg_temp.allowed(subscription_id, 'state', sent, responded) v where v <> 'paused') as may_be_active,
        not is_test and exists (
          select from pg_temp.allowed(subscription_id, 'state', sent, responded) v where v = 'paused') as may_be_paused,
        coalesce((
          select value = 'back-filled' from changed c
          where c.subscription_id = w.subscription_id and kind = 'state' and value <> 'paused' and c.responded > w.sent
          order by place limit 1), false) as is_backfilled
      from wanted w)
    select due.*, count(q.id) as deliveries, case count(q.id) when 0 then 'LOST' end as verdict
    from due left join queued q using (subscription_id, event_id)
    group by subscription_id, event_id, may_be_active, may_be_paused, is_backfilled
    having count(q.id) < (not may_be_paused or is_backfilled)::int
      or count(q.id) > (may_be_active or is_backfilled)::int
      or not may_be_active and bool_or(q.bulk_replay_id is null and q.id is not null)`,

  'a subscription gets no event that it does not want': `
    select q.id, q.subscription_id, q.event_id from queued q
    where not exists (
      select from wanted w where w.subscription_id = q.subscription_id and w.event_id = q.event_id)`,

  'a delivery finishes with the first 2xx, or as a dead letter with the 8th failed attempt': `
    select q.id, q.event_id, q.state, q.attempts, count(a.id) as seen,
      case when q.state = 'delivered' and bool_and(a.outcome is distinct from 'delivered') then 'LOST' end as verdict
    from queued q left join attempts a on a.delivery_id = q.id
    group by q.id, q.event_id, q.state, q.attempts
    having q.state not in ('delivered', 'dead_lettered')
      or q.state = 'delivered' and bool_and(a.outcome is distinct from 'delivered')
      or q.state = 'dead_lettered' and q.attempts <> ${LIMITS.webhookAttempts}
      or count(a.id) filter (where a.outcome = 'delivered') <> (q.state = 'delivered')::int
        and not pg_temp.is_unsettled(min(a.began), max(a.ended))`,

  'the attempts of a delivery are counted from 1 to 8 at most': `
    select q.id, q.attempts, array_agg(a.number order by place) as numbers
    from queued q join (
      select *, row_number() over (partition by delivery_id order by began) as place from attempts
    ) a on a.delivery_id = q.id
    group by q.id, q.attempts
    having greatest(max(a.number), q.attempts) > ${LIMITS.webhookAttempts} or q.attempts > count(*)
      or (bool_or(a.number <> place) or q.attempts <> count(*))
        and not pg_temp.is_unsettled(min(began), max(ended))`,

  'the numbers of a subscription have no gap and no duplicate': `
    select subscription_id, count(*) as events, count(distinct number), min(number), max(number) from queued where not is_test
    group by subscription_id
    having count(distinct number) <> count(*) or max(number) - min(number) + 1 <> count(*)`,

  // An attempt of number n needs n - 1 results: it waits from the (n - 1)th of all ends.
  'an attempt waits for its backoff, and for what the receiver asked for': `
    select a.delivery_id, a.id, a.number, a.began - earlier.ended as waited, backoff, asked
    from settings, attempts a
    left join lateral (
      select ended from attempts b where b.delivery_id = a.delivery_id order by ended offset a.number - 2 limit 1
    ) earlier on true
    cross join lateral (select retry_base * 2 ^ (a.number - 2) as backoff) schedule
    cross join lateral (
      select coalesce(min(coalesce(r.retry_after_ms, 0)), 0) as asked
      from attempts b left join received r on r.attempt_id = b.id
      where b.delivery_id = a.delivery_id and b.number = a.number - 1
    ) response
    where a.number > 1
      and (earlier.ended is null or a.began - earlier.ended < greatest(backoff, asked) - ${CLOCK_READING_MS})`,

  'an attempt is recorded as the receiver saw it': `
    select a.delivery_id, a.id, a.outcome, a.response_status, a.secret_version, a.began, r.*
    from attempts a left join received r on r.attempt_id = a.id
    where a.outcome in ('delivered', 'rejected') and (
        r.status is distinct from a.response_status or (r.status between 200 and 299) <> (a.outcome = 'delivered'))
      or a.outcome not in ('delivered', 'rejected') and r.status > 0 and not pg_temp.is_unsettled(a.began, a.ended)
      or (r.subscription_id, r.event_id, r.secret_version, r.signed)
        <> (a.subscription_id, a.event_id, a.secret_version, floor(a.began / 1000) * 1000)`,

  'a POST is recorded as an attempt of a delivery': `
    select r.* from settings, received r
    where not exists (select from attempts a where a.id = r.attempt_id)
      and not (
        pg_temp.is_unsettled(r.received, r.received + lease) and exists (
          select from queued q where q.subscription_id = r.subscription_id and q.event_id = r.event_id))`,

  'a POST carries an event of its company in its very bytes, signed just then with the secret whose version it states': `
    select r.* from received r
    left join subscriptions s on s.id = r.subscription_id
    left join made m on m.id = r.event_id and m.company_id = s.company_id
    where r.body_sha256 is distinct from encode(sha256(m.body), 'hex')
      or r.signer is distinct from r.secret_version
      or r.received - r.signed not between -${CLOCK_READING_MS} and ${LIMITS.webhookTimestampToleranceSeconds * 1_000}
      or r.attempt_id !~ '^dlv_[0-9a-z]+$'
      or not r.headers @> jsonb_build_object(
        'content-type', 'application/json', 'x-svc-event', m.name, 'webhook-id', m.id,
        'webhook-timestamp', r.headers -> 'x-svc-timestamp')`,

  'no two POSTs have the same delivery id': `
    select attempt_id, count(*) from received group by attempt_id having count(*) > 1`,

  // In force at its claim: not after it began, not before its event, and not longer ago than a claim may be.
  'a POST uses the URL and the secret in force, and is not of a paused subscription': `
    select r.*, lo, hi
    from settings, received r join wanted w using (subscription_id, event_id)
    cross join lateral (select greatest(r.signed - under_way, w.sent) as lo, r.signed + 1000 as hi) claim
    where not is_test and not (
      r.path in (select pg_temp.allowed(subscription_id, 'path', lo, hi))
      and r.secret_version::text in (select pg_temp.allowed(subscription_id, 'secret', lo, hi))
      and exists (select from pg_temp.allowed(subscription_id, 'state', lo, hi) v where v <> 'paused'))`,

  'a receiver that has taken an event does not get it again': `
    select taken.*, again.attempt_id as again
    from received taken join received again using (subscription_id, event_id)
    where taken.status between 200 and 299 and again.received > taken.received
      and not pg_temp.is_unsettled(taken.received, again.received)`,

  'an ordered subscription gets an event about a job once those before it have ended': `
    select r.*, turn.number, turn.since from (
      select q.subscription_id, q.event_id, q.number, pg_temp.ms(max(q.finished_at) over (
        partition by q.subscription_id, m.resource_id order by q.number rows between unbounded preceding and 1 preceding
      )) as since
      from queued q join subscriptions s on s.id = q.subscription_id join made m on m.id = q.event_id
      where s.ordered and not q.is_test
    ) turn join received r using (subscription_id, event_id)
    where r.received < turn.since`,

  'the statistics of a subscription count each recorded attempt once': `
    select a.subscription_id, a.attempts, s.counted
    from (
      select a.subscription_id, count(*) as attempts from attempts a join queued q on q.id = a.delivery_id
      where not q.is_test group by 1
    ) a left join (
      select subscription_id, sum(delivered + failed) as counted from delivery_statistics group by 1
    ) s using (subscription_id)
    where s.counted is distinct from a.attempts`,

  ...READING_INVARIANTS,
} as const;
