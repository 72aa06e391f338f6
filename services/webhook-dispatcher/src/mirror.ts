import { create } from '@bufbuild/protobuf';
import {
  AttemptOutcomeSchema,
  type DeliveryAttempted,
  ShadowAttemptSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { enumValue } from '@partner/proto-contracts/values/enum-names';
import type { Logger } from '@partner/kernel/logger';
import type { HttpsSender, PostResult } from './https-sender.js';
import type { OpenedSecrets } from './open-secrets.js';
import type { DeliveryCommand } from './read-delivery-command.js';
import { signedHeaders } from './signed-headers.js';

/** An attempt that has ended, to be copied to the shadow of its command, if it has one. */
interface EndedAttempt {
  readonly command: DeliveryCommand;
  readonly secrets: OpenedSecrets;
  /** Its result. It says so if the copy is skipped. */
  readonly attempted: DeliveryAttempted;
  /** When the copy is signed. */
  readonly at: Date;
  /** Reports the result again, with the outcome of the copy. */
  readonly report: (compared: DeliveryAttempted) => Promise<void>;
}

/** Sends the copy of an attempt in the background, once. It neither throws nor waits. */
export type Mirror = (ended: EndedAttempt) => void;

/** The share of the slots of attempts that copies have besides them, and that of one company. */
const SHARE = 0.1;
const COMPANY_SHARE = 0.02;

/** Slots of copies beside a number of slots for attempts. */
export function mirrorSlotsOf(concurrency: number): number {
  return Math.max(1, Math.floor(concurrency * SHARE));
}

/**
 * Creates the mirror. Copies have separate slots and connections, so that they never take those of an attempt. A copy without a
 * free slot does not wait, so a shadow that hangs holds no more than its slots. A copy in flight is lost when the process ends.
 */
export function createMirror(deps: {
  /** With a separate pool of connections. */
  readonly sender: Pick<HttpsSender, 'post'>;
  /** Maximum attempts in flight. */
  readonly concurrency: number;
  /** Aborted when a shutdown begins: no copy starts any more. */
  readonly stopping: AbortSignal;
  readonly logger: Pick<Logger, 'warn'>;
}): Mirror {
  const slots = mirrorSlotsOf(deps.concurrency);
  const slotsOfCompany = Math.max(1, Math.floor(deps.concurrency * COMPANY_SHARE));
  const byCompany = new Map<string, number>();
  let inFlight = 0;

  function count(companyId: string, change: 1 | -1): void {
    inFlight += change;
    const own = (byCompany.get(companyId) ?? 0) + change;
    if (own === 0) byCompany.delete(companyId);
    else byCompany.set(companyId, own);
  }

  async function send(
    { command, secrets, attempted, at }: EndedAttempt,
    { url, companyId }: NonNullable<DeliveryCommand['shadow']>,
  ): Promise<PostResult> {
    const { secret, shadowHeaders } = secrets;
    const attemptId = attempted.attempt?.deliveryId ?? '';
    const signed = signedHeaders({ command, secret, attemptId, startedAt: at });
    count(companyId, 1);
    try {
      return await deps.sender.post({
        url,
        headers: { ...shadowHeaders, ...signed, 'x-svc-shadow': 'true' },
        body: command.body,
      });
    } finally {
      count(companyId, -1);
    }
  }

  return (ended) => {
    const { command, attempted } = ended;
    const { shadow, subscriptionId, eventId, event } = command;
    if (shadow === undefined || deps.stopping.aborted) return;
    const own = byCompany.get(shadow.companyId) ?? 0;
    if (inFlight >= slots || own >= slotsOfCompany) {
      attempted.shadow = create(ShadowAttemptSchema, { shadowId: shadow.id, skipped: true });
      return;
    }
    send(ended, shadow)
      .then((result) => {
        const copy = describeCopy({ shadowId: shadow.id, eventId, event, result });
        return ended.report({ ...attempted, shadow: copy });
      })
      .catch((error: unknown) => {
        deps.logger.warn(
          { err: error, deliveryId: command.deliveryId, subscriptionId },
          'shadow.result_lost',
        );
      });
  };
}

function describeCopy(copy: {
  readonly shadowId: string;
  readonly eventId: string;
  readonly event: string;
  readonly result: PostResult;
}) {
  const { result, ...ids } = copy;
  const response = 'response' in result ? result.response : undefined;
  return create(ShadowAttemptSchema, {
    ...ids,
    outcome: enumValue(AttemptOutcomeSchema, result.outcome),
    durationMs: result.durationMs,
    ...(response !== undefined && { responseStatus: response.status }),
    ...('error' in result && { error: result.error }),
  });
}
