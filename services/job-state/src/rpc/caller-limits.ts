import type { HandlerContext } from '@connectrpc/connect';
import type { CallerLimits } from '../database/database.js';
import { required } from './required.js';

/** Returns the limits of the company that a request names, until its caller's deadline. */
export function callerLimits(
  request: { readonly companyId?: string | undefined },
  context: Pick<HandlerContext, 'timeoutMs'>,
): CallerLimits {
  return { companyId: required(request.companyId, 'company_id'), timeoutMs: context.timeoutMs() };
}
