import { PublishError } from './publish-error.js';

/**
 * Maximum size of a message, half of the `max_message_size` that RabbitMQ 4 has by default.
 *
 * The broker closes the channel that publishes a larger message, and with it every call and message in flight.
 */
export const MAX_MESSAGE_BYTES = 8 * 1_024 * 1_024;

/** Throws for a message that the broker may refuse. Texts, lists and pages are bounded well before, so it is a bug. */
export function checkMessageSize(what: string, { byteLength }: Uint8Array): void {
  if (byteLength <= MAX_MESSAGE_BYTES) return;
  throw new PublishError('too-large', `${what} has ${byteLength} bytes, more than ${MAX_MESSAGE_BYTES}`);
}
