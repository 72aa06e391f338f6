/**
 * Maximum size of an RPC response, half of the `max_message_size` that RabbitMQ 4 has by default.
 *
 * The broker closes the channel that publishes a larger message, and with it every call in flight.
 */
export const MAX_RESPONSE_BYTES = 8 * 1_024 * 1_024;
