import { Group, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { ActionButton, Notice, TextLink } from '../../parts/page.js';
import { FormFailure } from '../../parts/form.js';
import { PATHS } from '../../paths.js';
import { type TestDelivery, TestResult, useTestDelivery } from './test-steps.js';
import { type SignatureProof, signatureProof } from './test-outcome.js';

/** Button that sends both tests of a secret, with what they prove below it. */
export function SignatureSteps(props: {
  readonly tests: SignatureTests;
  /** Version of the tested secret; undefined: it has none yet. */
  readonly version: number | undefined;
  readonly isBlocked?: boolean;
  readonly isNext?: boolean;
}) {
  const { tests, version, isBlocked = false, isNext = true } = props;
  return (
    <Stack gap="sm" align="stretch">
      <Text size="sm">
        {`Sends two test deliveries. Your server must accept the one that is signed with ${version === undefined ? 'the new secret' : `version ${version}`}, and refuse the one with a wrong signature.`}
      </Text>
      <FormFailure error={tests.valid.error ?? tests.wrong.error} />
      <Group>
        <ActionButton
          onClick={() => tests.send()}
          loading={tests.proof === 'waiting'}
          disabled={isBlocked}
          leftSection={<IconSend size={18} aria-hidden />}
          variant={isNext ? 'filled' : 'default'}
        >
          {tests.proof === undefined ? 'Send both tests' : 'Test again'}
        </ActionButton>
      </Group>
      <div role="status">
        <Proof tests={tests} version={version} />
      </div>
    </Stack>
  );
}

function Proof({
  tests: { proof, valid, wrong },
  version,
}: {
  readonly tests: SignatureTests;
  readonly version: number | undefined;
}) {
  switch (proof) {
    case undefined:
      return null;
    case 'waiting':
      return <Notice tone="info" title="Sent, waiting for both responses …" />;
    case 'proven':
      return (
        <Notice tone="good" title="It works">
          {`Your server accepted version ${version ?? ''} and refused a wrong signature.`}
        </Notice>
      );
    case 'failed':
      return (
        <Stack gap="sm">
          <Text size="sm">{`Your server did not accept the test with version ${version ?? ''}:`}</Text>
          <TestResult test={valid} />
        </Stack>
      );
    case 'unverified':
      return (
        <Notice tone="warn" title="Your server accepted a wrong signature.">
          It does not verify signatures, or not for this secret: anyone who knows the URL can send it events.
          Make it respond with 401 if the signature does not match, then test again.{' '}
          <TextLink to={PATHS.receiverCode} size="sm">
            Receiver code
          </TextLink>
        </Notice>
      );
    case 'unknown':
      return (
        <Stack gap="sm">
          <Text size="sm">
            {`Your server accepted version ${version ?? ''}, but there is no response to the test with a wrong signature. It must respond with 401.`}
          </Text>
          <TestResult test={wrong} />
        </Stack>
      );
  }
}

/** The two tests of a secret, with what they prove. */
interface SignatureTests {
  send(): void;
  readonly valid: TestDelivery;
  readonly wrong: TestDelivery;
  /** Undefined before the first test. */
  readonly proof: SignatureProof | undefined;
}

/** Sends a test that is signed with the version's secret and one that is signed wrongly, and waits for both outcomes. */
export function useSignatureProof(webhookId: string, secretVersion: number | undefined): SignatureTests {
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
    proof: signatureProof({
      valid: valid.outcome,
      wrong: wrong.outcome,
      isSending: valid.isSending || wrong.isSending,
    }),
  };
}
