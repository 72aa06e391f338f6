import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import type { TestBody, Webhook } from '../../api/operations.js';
import { Notice } from '../../parts/page.js';
import { TestSteps } from './test-steps.js';
import { useTestDelivery } from './use-test-delivery.js';

/** Tests a URL that is being entered, before the webhook switches to it. */
export function NewUrlTest(props: {
  readonly webhook: Webhook;
  /** With the URL and its custom headers. */
  readonly body: TestBody;
}) {
  const { webhook, body } = props;
  const test = useTestDelivery(webhook.id, body);
  return (
    <>
      <Notice tone="warn" title="Test the new URL first">
        {webhook.state === 'active'
          ? `If it accepts a test and you save within ${WEBHOOK_LIMITS.testedUrlMinutes} minutes, the webhook stays active. Otherwise it is paused when you save. Queued deliveries go to the new URL.`
          : `If it accepts a test and you save within ${WEBHOOK_LIMITS.testedUrlMinutes} minutes, you can activate the webhook without another test.`}
      </Notice>
      <TestSteps test={test} isNext={false} />
    </>
  );
}
