import { PublishError, type PublishErrorKind } from '../amqp/publish-error.js';
import type { OutgoingMessage } from '../amqp/publisher.js';
import { createRecorder } from '@partner/test-kit/recorder';

export type InMemoryPublisher = ReturnType<typeof createInMemoryPublisher>;

/** Creates a publisher that confirms every message at once until `failWith` is called. */
export function createInMemoryPublisher() {
  const published = createRecorder<OutgoingMessage>();
  let failure: PublishErrorKind | undefined;
  let refused = 0;
  return {
    published,
    /** How many publishes have failed. */
    refused: () => refused,
    /** Makes every later publish fail in this way; undefined makes them succeed again. */
    failWith(kind: PublishErrorKind | undefined) {
      failure = kind;
    },
    publish(message: OutgoingMessage): Promise<void> {
      if (failure !== undefined) {
        refused += 1;
        return Promise.reject(new PublishError(failure, 'failure set by the test'));
      }
      published.record(message);
      return Promise.resolve();
    },
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
