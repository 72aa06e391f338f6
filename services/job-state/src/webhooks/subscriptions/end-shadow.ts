import { SHADOW_HEADERS_VERSION } from '@partner/kernel/secret-sealing';
import type { Queryable } from '../../database/database.js';

interface EndedShadow {
  readonly url: string;
  readonly wasRunning: boolean;
  readonly sealedHeaders: Buffer | null;
}

/**
 * Ends the shadow of a locked subscription, and deletes the custom headers of its copies. Returns its URL, those headers (null: none were
 * given), and `wasRunning` if its test was accepted; undefined if none runs.
 */
export async function endShadow(tx: Queryable, subscriptionId: string): Promise<EndedShadow | undefined> {
  const [ended] = await tx.query<EndedShadow>(
    `with headers as (
       delete from subscription_secrets where subscription_id = $1 and version = ${SHADOW_HEADERS_VERSION} returning sealed
     )
     update webhook_shadows w set state = 'ended', ends_at = now()
     from webhook_shadows former
     where w.subscription_id = $1 and former.subscription_id = $1 and w.state in ('testing', 'running') and w.ends_at > now()
     returning w.url, former.state = 'running' as "wasRunning", (select sealed from headers) as "sealedHeaders"`,
    [subscriptionId],
  );
  return ended;
}
