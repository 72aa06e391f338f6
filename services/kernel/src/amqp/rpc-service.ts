import type { DescService } from '@bufbuild/protobuf';
import { createServiceImplSpec, type ServiceImpl, type ServiceImplSpec } from '@connectrpc/connect';

/** A protobuf service together with what carries it out. */
export type RpcService = ServiceImplSpec;

/** Binds an implementation to its service; every method of the service has to be there. */
export function rpcService<Desc extends DescService>(
  service: Desc,
  implementation: ServiceImpl<Desc>,
): RpcService {
  return createServiceImplSpec(service, implementation);
}
