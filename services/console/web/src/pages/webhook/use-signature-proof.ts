import { type SignatureProof, signatureProof } from './signature-proof.js';
import { type TestDelivery, useTestDelivery } from './use-test-delivery.js';

/** The two tests of a secret, with what they prove. */
export interface SignatureTests {
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
