import type { DescService } from '@bufbuild/protobuf';
import { createServiceImplSpec, type ServiceImpl, type ServiceImplSpec } from '@connectrpc/connect';

/** A protobuf service and its implementation. */
export type RpcService = ServiceImplSpec;

/** Binds an implementation to its service; it must implement every method. */
export function rpcService<Desc extends DescService>(
  service: Desc,
  implementation: ServiceImpl<Desc>,
): RpcService {
  return createServiceImplSpec(service, implementation);
}
