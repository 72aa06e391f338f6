import { PublishError, type PublishErrorKind } from '../amqp/publish-error.js';
import type { OutgoingMessage, Publisher } from '../amqp/publisher.js';
import { createRecorder, type Recorder } from '@partner/test-kit/recorder';

export interface InMemoryPublisher extends Publisher {
  readonly published: Recorder<OutgoingMessage>;
  /** Makes every later publish fail in this way; undefined makes them succeed again. */
  failWith(kind: PublishErrorKind | undefined): void;
  /** How many publishes have failed. */
  refused(): number;
}

/** Creates a publisher that confirms every message at once until `failWith` is called. */
export function createInMemoryPublisher(): InMemoryPublisher {
  const published = createRecorder<OutgoingMessage>();
  let failure: PublishErrorKind | undefined;
  let refused = 0;
  return {
    published,
    refused: () => refused,
    failWith(kind) {
      failure = kind;
    },
    publish(message) {
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
