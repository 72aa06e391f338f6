/** Notifications are recorded at any time, so also behind the end of a reading. */
const NOTIFICATION = "'^(webhook|api_key)[.]'";

/** Rules of the ways to read a history, each with a query that selects its violations. */
export const READING_INVARIANTS = {
  'the numbers of a feed have no gap and no duplicate, in the order of its pages': `
    select company_id, way, reader, place, number from reading where way <> 'manifest' and number <> place`,

  'each acknowledged version of a job is in the feed of its company once': `
    select w.*, count(r.place) as times, case count(r.place) when 0 then 'LOST' end as verdict
    from (select distinct company_id, resource_id, resource_version from written where resource_id like 'job%') w
    left join reading r on r.way = 'jobs' and r.reader = 'latecomer'
      and (r.company_id, r.resource_id, r.resource_version) = (w.company_id, w.resource_id, w.resource_version)
    group by w.company_id, w.resource_id, w.resource_version having count(r.place) <> 1`,

  'the versions of a job have no gap, and come in their order': `
    select * from (
      select *, lag(resource_version) over (partition by company_id, reader, resource_id order by place) as before
      from reading where way = 'jobs') versions
    where resource_version <> before + 1`,

  // A back-fill is queued behind what came after it. Facts of a sale come as the platform sends them.
  'the events about a job come in the order of its versions': `
    select * from (
      select r.*, coalesce(r.resource_version, e.resource_version) as version,
        lag(coalesce(r.resource_version, e.resource_version)) over (
          partition by r.company_id, r.way, r.reader, r.subscription_id, coalesce(r.resource_id, e.resource_id) order by r.number
        ) as before
      from reading r left join events e on e.id = r.event_id
      where r.way <> 'jobs' and coalesce(r.resource_id, e.resource_id) like 'job%' and not exists (
        select from changed c where c.subscription_id = r.subscription_id and c.value = 'back-filled')) events
    where version < before`,

  'a reader that follows a feed by its cursor reads the same as one that comes afterwards': `
    select coalesce(f.company_id, l.company_id) as company_id, coalesce(f.way, l.way) as way,
      coalesce(f.number, l.number) as number, f.event_id, f.resource_id, l.event_id as event_of_latecomer,
      case when f.place is null then 'LOST' end as verdict
    from (select * from reading where reader = 'follower') f
    full join (select * from reading where reader = 'latecomer' and way <> 'manifest') l using (company_id, way, number)
    where (f.event_id, f.resource_id, f.resource_version, f.body_sha256)
      is distinct from (l.event_id, l.resource_id, l.resource_version, l.body_sha256)
      and not (f.place is null and coalesce(l.name, '') ~ ${NOTIFICATION})`,

  'a company reads each of its events once, in its very bytes': `
    select coalesce(e.company_id, r.company_id) as company_id, coalesce(e.id, r.event_id) as event_id, e.sequence, r.number,
      case when r.place is null then 'LOST' end as verdict
    from (select e.* from events e, settings where company_id = any(companies) and sequence > 0) e
    full join (select * from reading where way = 'events' and reader = 'latecomer') r
      on r.event_id = e.id and r.company_id = e.company_id
    where (e.sequence, e.name, e.resource_id, e.resource_version, encode(sha256(e.body), 'hex'))
      is distinct from (r.number, r.name, r.resource_id, r.resource_version, r.body_sha256)
      and not (r.place is null and e.name ~ ${NOTIFICATION})`,

  'the job feed has each version of a job that an event is about': `
    select e.* from reading e
    where e.way = 'events' and e.resource_id like 'job%' and not exists (
      select from reading j where j.way = 'jobs' and j.reader = e.reader
        and (j.company_id, j.resource_id, j.resource_version) = (e.company_id, e.resource_id, e.resource_version))`,

  'the manifest of a subscription has each of its events once, with the number and the outcome of its delivery': `
    select coalesce(q.subscription_id, m.subscription_id) as subscription_id, coalesce(q.event_id, m.event_id) as event_id,
      q.number, m.number as of_manifest, q.state, m.outcome, case when m.place is null then 'LOST' end as verdict
    from (select * from queued where not is_test and subscription_id in (select subscription_id from changed)) q
    full join (select * from reading where way = 'manifest') m using (subscription_id, event_id)
    where (q.number, q.event, q.state) is distinct from (m.number, m.name, m.outcome)`,

  'what a receiver got of a subscription is what the manifest and the events of its company say': `
    select r.subscription_id, r.event_id, r.attempt_id, r.headers -> 'x-svc-number' as stated, m.number, e.number as of_company
    from received r
    left join reading m on m.way = 'manifest' and (m.subscription_id, m.event_id) = (r.subscription_id, r.event_id)
    left join reading e on e.way = 'events' and e.reader = 'latecomer' and e.event_id = m.event_id and e.company_id = m.company_id
    where not r.headers ? 'x-svc-test' and (
      r.headers ->> 'x-svc-number' is distinct from m.number::text or r.body_sha256 is distinct from e.body_sha256)`,

  'a receiver has taken each event that the manifest calls delivered': `
    select m.*, 'LOST' as verdict from reading m
    where m.way = 'manifest' and m.outcome = 'delivered' and not exists (
      select from received r
      where (r.subscription_id, r.event_id) = (m.subscription_id, m.event_id) and r.status between 200 and 299)`,

  'what a key reads is signed with it': `
    select company_id, way, number from reading where way <> 'jobs' and is_signed is not true`,
} as const;
