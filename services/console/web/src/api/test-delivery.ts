import { delivery } from '@partner/proto-contracts/resources/delivery/delivery';
import { useAction } from './use-action.js';
import { webhookPath } from './webhooks.js';

/**
 * Sends a test delivery: an example of `event`, signed with the secret of `secretVersion`, or with `wrongSignature` with none that
 * the server has. The response is the delivery.
 */
export function useTestWebhook(id: string) {
  return useAction({
    act: (
      api,
      body: { readonly event?: string; readonly secretVersion?: number; readonly wrongSignature?: boolean },
    ) => api.read(delivery, { method: 'POST', path: `${webhookPath(id)}/test`, body }),
  });
}
