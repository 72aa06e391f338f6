import { newId } from '@partner/kernel/process/ids';
import { sealingKeysSetting, sealSecret } from '@partner/kernel/security/secret-sealing';
import { RECEIVER_HOST } from '@partner/local-stack/stack/receiver-hosts';
import { addCompany } from '@partner/local-stack/stack/add-company';
import { ensureStackSecrets } from '@partner/local-stack/stack/stack-secrets';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import { webhookExample } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';

export type Client = Parameters<Parameters<typeof withPostgres>[1]>[0];

export type BenchEndpoint = Awaited<ReturnType<typeof addEndpoints>>[number];

export const ENDPOINTS = 100;

const BENCH_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const EXAMPLE = webhookExample('install.status_changed');
const AT_ONCE = 500;

async function addSubscription(
  client: Client,
  made: { readonly stack: Stack; readonly path: string; readonly companyId: string },
): Promise<string> {
  const { companyId } = made;
  const id = newId('whk');
  const keys = sealingKeysSetting.parse(ensureStackSecrets(made.stack.directory).sealingKeys);
  const sealed = sealSecret(keys, { ownerId: id, version: 1 }, BENCH_SECRET);
  await client.query(
    `with subscription as (
       insert into subscriptions (id, company_id, url, events, schema_version, state, verified_url_version)
       values ($1, $2, $3, array['quote.*'], 1, 'active', 1)
       returning id
     )
     insert into subscription_secrets (subscription_id, version, sealed, sealing_key_id)
     select id, 1, $4, $5 from subscription`,
    [id, companyId, `https://${RECEIVER_HOST}${made.path}`, sealed, keys.currentKeyId],
  );
  return id;
}

/** Creates {@link ENDPOINTS} selling companies, each with a project and active subscriptions to the events of its quotes. */
export async function addEndpoints(stack: Stack, subscriptions = 1) {
  return withPostgres(stack.description.postgresUrl, async (client) => {
    const made = [];
    for (let number = 1; number <= ENDPOINTS; number += 1) {
      const { id: companyId } = await addCompany(client, { class: 'SALES' });
      const place = { stack, path: `/hooks/${number}`, companyId };
      const id = await addSubscription(client, place);
      const projectId = newId('prj');
      for (let more = 1; more < subscriptions; more += 1) await addSubscription(client, place);
      await client.query('insert into projects (id, company_id) values ($1, $2)', [projectId, companyId]);
      made.push({ id, companyId, projectId });
    }
    return made;
  });
}

/**
 * Commits events with one delivery each, spread evenly over the subscriptions, in transactions of up to 500. They are due
 * at the given time, or at once.
 */
export async function commitEvents(
  client: Client,
  events: {
    readonly subscriptions: readonly BenchEndpoint[];
    readonly count: number;
    readonly dueAt?: Date;
    readonly signal?: AbortSignal;
  },
): Promise<void> {
  const { event, resource } = EXAMPLE;
  for (let done = 0; done < events.count; done += AT_ONCE) {
    events.signal?.throwIfAborted();
    const chunk = Array.from({ length: Math.min(AT_ONCE, events.count - done) }, (_, index) => {
      const endpoint = events.subscriptions[(done + index) % events.subscriptions.length];
      if (endpoint === undefined) throw new Error('there are subscriptions');
      const { id: subscription, companyId: company } = endpoint;
      const id = newId('evt');
      const body = JSON.stringify({ ...EXAMPLE, id });
      return { id, delivery: newId('dlv'), subscription, company, body };
    });
    await client.query(
      `with made as (
         select * from jsonb_to_recordset($1) as source (id text, delivery text, subscription text, company text, body text)
       ), event as (
         insert into events
           (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body, sequence)
         select id, company, $2, 1, now(), $3, $4, $5, convert_to(body, 'UTF8'), 0 from made
       )
       insert into deliveries
         (id, subscription_id, company_id, event_id, event, resource_type, resource_id, next_attempt_at)
       select delivery, subscription, company, id, $2, $3, $4, coalesce($6, now()) from made`,
      [JSON.stringify(chunk), event, resource.type, resource.id, resource.version, events.dueAt ?? null],
    );
  }
}
