import { useAction, type Webhook } from '../../api/hooks.js';
import { requestOf } from '../bulk-replay/replay-request.js';
import { formatWaiting } from '../../webhook-facts.js';
import { ActionButton } from '../../parts/page.js';
import type { ButtonLook } from '../../parts/ui.js';

/** Retries all deliveries to a webhook that wait for it; nothing if none does. */
export function RetryWaiting({
  webhook: { id, condition },
  ...button
}: ButtonLook & { readonly webhook: Webhook }) {
  const retry = useAction('replayDeliveries', { done: 'Retry started', toastsFailure: true });
  const { waiting = 0 } = condition ?? {};
  if (waiting === 0) return null;
  const body = () => requestOf(new URLSearchParams({ status: 'retry_scheduled' }), new Date());
  return (
    <ActionButton
      {...button}
      loading={retry.isRunning}
      onClick={() => retry.run({ params: { id }, body: body() })}
    >
      {waiting === 1 ? 'Retry it now' : `Retry the ${formatWaiting(waiting)} now`}
    </ActionButton>
  );
}
