import { PublishError, type PublishErrorKind } from '../amqp/publish-error.js';
import type { OutgoingMessage, Publisher } from '../amqp/publisher.js';
import { createRecorder, type Recorder } from '@partner/test-kit/recorder';

/** A publisher that keeps what is published. */
export interface InMemoryPublisher extends Publisher {
  readonly published: Recorder<OutgoingMessage>;
  /** Lets every publish from now on fail in this way, or succeed again with undefined. */
  failWith(kind: PublishErrorKind | undefined): void;
}

/** Makes a publisher that confirms everything at once until told otherwise. */
export function createInMemoryPublisher(): InMemoryPublisher {
  const published = createRecorder<OutgoingMessage>();
  let failure: PublishErrorKind | undefined;
  return {
    published,
    failWith(kind) {
      failure = kind;
    },
    publish(message) {
      if (failure !== undefined) return Promise.reject(new PublishError(failure, 'as the test asked'));
      published.record(message);
      return Promise.resolve();
    },
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
