import { IconSend } from '@tabler/icons-react';
import { useEffect } from 'react';
import { Link } from '../../parts/link.js';
import { Notice } from '../../parts/page.js';
import { CodeBlock } from '../../parts/code.js';
import { Advice } from '../../parts/data.js';
import { StartButton } from '../../parts/form.js';
import { PATHS } from '../../paths.js';
import { type TestBody, useAction, useDelivery } from '../../api/hooks.js';
import { outcomeOfTest, signatureProof, type TestOutcome } from './test-outcome.js';

/** Button that sends a test delivery, with the last outcome below it. */
export function TestSteps(props: {
  readonly test: TestDelivery;
  /** The event whose example is sent; without one, an install.test. */
  readonly event?: string | undefined;
  /** True if this is the next step. */
  readonly isNext?: boolean;
}) {
  const { test, event, isNext = true } = props;
  return (
    <div className="stack">
      <StartButton
        action={{ isRunning: test.isSending, error: test.error }}
        leftSection={<IconSend size={18} aria-hidden />}
        variant={isNext ? 'filled' : 'default'}
        onClick={() => test.send(event)}
      >
        {test.outcome === undefined ? 'Send a test delivery' : 'Test again'}
      </StartButton>
      <div role="status">
        <TestResult test={test} />
      </div>
    </div>
  );
}

/** Outcome of the last test, with advice after a failure. */
function TestResult({ test: { outcome, deliveryId } }: { readonly test: TestDelivery }) {
  if (outcome === undefined || deliveryId === undefined) return null;
  if (outcome.kind === 'waiting') {
    return <Notice tone="info" title="Sent, waiting for a response…" />;
  }
  if (outcome.kind === 'delivered') {
    return (
      <Notice tone="good" title="Test delivered">
        {outcome.title}
      </Notice>
    );
  }
  return (
    <Notice tone="bad" title={outcome.what}>
      <div className="stack">
        <Advice advice={outcome.advice} />
        {outcome.seen !== null && <p className="small">{`Details: ${outcome.seen}.`}</p>}
        {outcome.responseBody !== null && outcome.responseBody !== '' && (
          <CodeBlock label="Response of your server" copies="response" code={outcome.responseBody} />
        )}
        <Link to={PATHS.delivery(deliveryId)}>View delivery</Link>
      </div>
    </Notice>
  );
}

/** Test deliveries of one subscription, with the last outcome. */
export type TestDelivery = ReturnType<typeof useTestDelivery>;

/** Polls while the owner waits, because change events can be late. */
const POLL_MS = 1_000;

/**
 * Sends test deliveries and waits for their outcomes. Each is signed with the secret of `secretVersion`, or with `wrongSignature` with
 * none that the server has, and goes to another `url` with its `headers` if the body has one.
 */
export function useTestDelivery(webhookId: string, body: Omit<TestBody, 'event'> = {}) {
  const test = useAction('testWebhook');
  const deliveryId = test.response?.id;
  const { data, refetch } = useDelivery(deliveryId);
  const outcome: TestOutcome | undefined =
    deliveryId === undefined ? undefined : data === undefined ? { kind: 'waiting' } : outcomeOfTest(data);
  const isWaiting = outcome?.kind === 'waiting';

  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => void refetch(), POLL_MS);
    return () => clearInterval(timer);
  }, [isWaiting, refetch]);

  return {
    /** Sends the example of the event; without one, an `install.test`. */
    send: (event?: string) =>
      test.run({ params: { id: webhookId }, body: { ...body, ...(event !== undefined && { event }) } }),
    isSending: test.isRunning || isWaiting,
    /** Why the last test could not be sent; null if it was. */
    error: test.error,
    /** The last test, and its outcome; undefined before the first. */
    deliveryId,
    outcome,
  };
}

/** Button that sends both tests of a secret, with what they prove below it. */
export function SignatureSteps(props: {
  readonly tests: ReturnType<typeof useSignatureProof>;
  /** Version of the tested secret; undefined: it has none yet. */
  readonly version: number | undefined;
  readonly isBlocked?: boolean;
  readonly isNext?: boolean;
}) {
  const { tests, version, isBlocked = false, isNext = true } = props;
  return (
    <div className="stack">
      <p className="small">
        {`Sends two test deliveries. Your server must accept the one that is signed with ${version === undefined ? 'the new secret' : `version ${version}`}, and refuse the one with a wrong signature.`}
      </p>
      <StartButton
        action={{ isRunning: tests.proof === 'waiting', error: tests.valid.error ?? tests.wrong.error }}
        disabled={isBlocked}
        leftSection={<IconSend size={18} aria-hidden />}
        variant={isNext ? 'filled' : 'default'}
        onClick={tests.send}
      >
        {tests.proof === undefined ? 'Send both tests' : 'Test again'}
      </StartButton>
      <div role="status">
        <Proof tests={tests} version={version} />
      </div>
    </div>
  );
}

function Proof({ tests, version }: Pick<Parameters<typeof SignatureSteps>[0], 'tests' | 'version'>) {
  const accepted = `Your server accepted version ${version ?? ''}`;
  switch (tests.proof) {
    case undefined:
      return null;
    case 'waiting':
      return <Notice tone="info" title="Sent, waiting for both responses…" />;
    case 'proven':
      return (
        <Notice tone="good" title="It works">
          {`${accepted} and refused a wrong signature.`}
        </Notice>
      );
    case 'failed':
      return <TestResult test={tests.valid} />;
    case 'unverified':
      return (
        <Notice tone="warn" title="Your server accepted a wrong signature.">
          It doesn’t verify signatures, or not with this secret, so anyone who knows the URL can send it
          events. Make it respond with 401 if the signature doesn’t match, then test again.{' '}
          <Link to={PATHS.receiverCode}>Receiver code</Link>
        </Notice>
      );
    case 'unknown':
      return (
        <div className="stack">
          <p className="small">
            {`${accepted}, but there is no response to the test with a wrong signature. It must respond with 401.`}
          </p>
          <TestResult test={tests.wrong} />
        </div>
      );
  }
}

/** Sends a test that is signed with the version's secret and one that is signed wrongly, and waits for both outcomes. */
export function useSignatureProof(webhookId: string, secretVersion: number | undefined) {
  const version = secretVersion === undefined ? {} : { secretVersion };
  const valid = useTestDelivery(webhookId, version);
  const wrong = useTestDelivery(webhookId, { ...version, wrongSignature: true });
  return {
    send() {
      valid.send();
      wrong.send();
    },
    valid,
    wrong,
    /** What they prove; undefined before the first test. */
    proof: signatureProof({
      valid: valid.outcome,
      wrong: wrong.outcome,
      isSending: valid.isSending || wrong.isSending,
    }),
  };
}

/** What leaving a page asks while it shows a secret that the owner has not stored. */
export const UNSTORED_SECRET = {
  title: 'Leave without the secret?',
  children:
    'You have not confirmed that the secret is stored. You won’t see it again. If you lose it, create a new one.',
};
