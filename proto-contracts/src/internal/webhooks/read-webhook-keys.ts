import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';
import { webhookKeys } from '../../resources/webhook-sender/webhook-sender.js';

/** Derives the public keys of a webhook. They are public, so the call is made for no company. */
export const readWebhookKeysOperation = defineInternalOperation({
  id: 'readWebhookKeys',
  repeatable: true,
  input: z.object({ subscriptionId: z.string() }),
  output: webhookKeys,
});
