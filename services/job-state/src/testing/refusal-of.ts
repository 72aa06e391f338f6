import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';

export async function refusalOf(attempt: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  invariant(error instanceof ServiceError, 'the attempt is refused');
  return error;
}
