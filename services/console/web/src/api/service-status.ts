import { serviceStatus } from '@partner/proto-contracts/resources/service-status/service-status';
import { useApiQuery } from './use-api-query.js';

/** Whether the service works, whatever the company's endpoints do. */
export function useServiceStatus() {
  return useApiQuery({ key: ['service-status'], schema: serviceStatus, path: '/status', isSum: true });
}
