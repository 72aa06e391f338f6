import { checkEndpointOperation } from '../internal/webhooks/check-endpoint.js';

/** The calls of the webhook-dispatcher, the only process that resolves partners' host names. */
export const DISPATCHER_CALLS = [checkEndpointOperation] as const;
