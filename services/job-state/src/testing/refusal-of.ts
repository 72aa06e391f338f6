import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';

/** Returns the error of an attempt that is refused. */
export async function refusalOf(attempt: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  invariant(error instanceof ServiceError, 'the attempt is refused');
  return error;
}
