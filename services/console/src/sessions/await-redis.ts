import { ServiceError } from '@partner/kernel/process/service-error';

/**
 * Waits for a reply of Redis. An error or a timeout becomes `unavailable`: no session can be verified without Redis.
 */
export async function awaitRedis<T>(reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (cause) {
    throw new ServiceError('unavailable', 'sessions cannot be read at the moment; retry', {
      retryAfterSeconds: 1,
      cause,
    });
  }
}
