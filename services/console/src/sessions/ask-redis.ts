import { ServiceError } from '@partner/kernel/service-error';

/**
 * Waits for an answer of Redis. A Redis that fails or does not answer becomes `unavailable`: without it nobody's session
 * can be known, and that never counts as being signed in.
 */
export async function askRedis<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw new ServiceError('unavailable', 'sessions cannot be read at the moment; try again', {
      retryAfterSeconds: 1,
      cause,
    });
  }
}
