import { measureServiceStatusOperation } from '@partner/proto-contracts/internal/service-status/measure-service-status';
import { type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import { getServiceStatus } from './service-status.js';

/** The call with which the console learns for everyone whether the service works. */
export function serviceStatusOperations(
  deps: Parameters<typeof getServiceStatus>[0],
): readonly Implementation[] {
  return [implementInternal(measureServiceStatusOperation, () => getServiceStatus(deps))];
}
