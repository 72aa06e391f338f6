import { counter } from '@partner/kernel/amqp/metrics';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Registry } from 'prom-client';
import type { ArrivedEffect } from './record-platform-message.js';

/** Counts and logs the effect of a message. `label`: its type in the metric, if that is another one. */
export type NoteEffect = (messageId: string, type: string, effect: ArrivedEffect, label?: string) => void;

export function createNoteEffect(deps: { readonly metrics: Registry; readonly logger: Logger }): NoteEffect {
  const handled = counter(deps.metrics, {
    name: 'partner_platform_messages_total',
    help: 'Platform messages by type and result; an early message counts again when it takes effect.',
    labels: ['type', 'result'],
  });
  return (messageId, type, effect, label = type) => {
    handled.inc({ type: label, result: effect.kind });
    deps.logger.info({ messageId, type, ...effect }, 'platform.message_recorded');
  };
}
