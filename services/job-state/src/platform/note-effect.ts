import type { Logger } from '@partner/kernel/telemetry/logger';
import { Counter, type Registry } from 'prom-client';
import type { ArrivedEffect } from './record-platform-message.js';

/** Counts and logs the effect of a message. `label`: its type in the metric, if that is another one. */
export type NoteEffect = (messageId: string, type: string, effect: ArrivedEffect, label?: string) => void;

export function createNoteEffect({
  metrics,
  logger,
}: {
  readonly metrics: Registry;
  readonly logger: Logger;
}): NoteEffect {
  const name = 'partner_platform_messages_total';
  const known = metrics.getSingleMetric(name);
  const handled =
    known instanceof Counter
      ? known
      : new Counter({
          name,
          help: 'Platform messages by type and result; an early message counts again when it takes effect.',
          labelNames: ['type', 'result'] as const,
          registers: [metrics],
        });
  return (messageId, type, effect, label = type) => {
    handled.inc({ type: label, result: effect.kind });
    logger.info({ messageId, type, ...effect }, 'platform.message_recorded');
  };
}
