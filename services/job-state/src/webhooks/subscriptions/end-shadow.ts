import type { Queryable } from '../../database/database.js';

/** Ends the shadow of a locked subscription. Returns its URL, with `wasRunning` if its test was accepted; undefined if none runs. */
export async function endShadow(
  tx: Queryable,
  subscriptionId: string,
): Promise<{ readonly url: string; readonly wasRunning: boolean } | undefined> {
  const [ended] = await tx.query<{ url: string; wasRunning: boolean }>(
    `update webhook_shadows w set state = 'ended', ends_at = now()
     from webhook_shadows former
     where w.subscription_id = $1 and former.subscription_id = $1 and w.state in ('testing', 'running') and w.ends_at > now()
     returning w.url, former.state = 'running' as "wasRunning"`,
    [subscriptionId],
  );
  return ended;
}
