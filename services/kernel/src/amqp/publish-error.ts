/**
 * Why a message does not count as published. `returned`: no queue takes it. `nacked`: the broker refused it, e.g. the queue
 * is full. `timeout`: no confirm in time. `closed`: the channel was lost before the confirm. `not-connected`, `blocked`: it
 * was never sent, because there was no connection or the broker was short of memory or disk. After `timeout` and `closed` it may be in the queue all the same.
 */
export type PublishErrorKind = 'returned' | 'nacked' | 'timeout' | 'closed' | 'not-connected' | 'blocked';

/** A message that does not count as published. */
export class PublishError extends Error {
  override readonly name = 'PublishError';
  readonly kind: PublishErrorKind;

  constructor(kind: PublishErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}
