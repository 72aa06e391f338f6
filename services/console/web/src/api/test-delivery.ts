import { delivery } from '@partner/proto-contracts/resources/delivery/delivery';
import { useAction } from './use-action.js';
import { webhookPath } from './webhooks.js';

/** What a test delivery is. */
export interface TestBody {
  readonly event?: string;
  readonly secretVersion?: number;
  readonly wrongSignature?: boolean;
  readonly url?: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

/**
 * Sends a test delivery: an example of `event`, signed with the secret of `secretVersion`, or with `wrongSignature` with none that
 * the server has, to another `url` with its `headers`. The response is the delivery.
 */
export function useTestWebhook(id: string) {
  return useAction({
    act: (api, body: TestBody) =>
      api.read(delivery, { method: 'POST', path: `${webhookPath(id)}/test`, body }),
  });
}
