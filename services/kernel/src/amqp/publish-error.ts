/**
 * Why a publish failed. `returned`: no queue accepts the message. `nacked`: the broker refused it, e.g. the queue is
 * full. `timeout`: no confirm in time. `closed`: the channel was lost before the confirm. `not-connected`, `blocked`:
 * it was not sent, because there was no connection, or the broker was slow or short of memory or disk. `too-large`: it was not sent, and
 * a retry cannot help. After `timeout` and `closed` it may still be in the queue.
 */
export type PublishErrorKind =
  | 'returned'
  | 'nacked'
  | 'timeout'
  | 'closed'
  | 'not-connected'
  | 'blocked'
  | 'too-large';

export class PublishError extends Error {
  override readonly name = 'PublishError';
  readonly kind: PublishErrorKind;

  constructor(kind: PublishErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }

  /** Whether the message may be in the queue. */
  get isPerhapsSent(): boolean {
    return this.kind === 'timeout' || this.kind === 'closed';
  }
}
