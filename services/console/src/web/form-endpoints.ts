import { requestPasswordLinkOperation } from '@partner/proto-contracts/resources/password/operations';
import { createSessionOperation } from '@partner/proto-contracts/resources/session/operations';
import { sentenceOfError } from '@partner/console/shared/error-sentences';
import { type AnyEndpoint, type EndpointRequest, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { httpStatusOf, ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument, validate } from '@partner/kernel/process/validation';
import { z } from 'zod';
import type { ConsoleDeps } from '../console-deps.js';
import { hasReason } from '../refusals.js';
import { passwordEndpoints } from '../routes/password-endpoints.js';
import { sessionEndpoints } from '../routes/session-endpoints.js';
import type { OwnerSession } from '../sessions/session-store.js';
import { renderForgotPassword, renderSignIn, signedOutPage } from '../docs/signed-out-pages.js';
import { pathAfterSignIn, signInFacts, wantedPage } from './web-endpoints.js';

type Fields = Readonly<Record<string, string>>;

/** Creates the endpoints of the forms that browsers without scripts send. Each runs an operation of the API, and shows its outcome as a page. */
export function formEndpoints(deps: ConsoleDeps): readonly AnyEndpoint<OwnerSession>[] {
  const operations = [...sessionEndpoints(deps), ...passwordEndpoints(deps)];
  /** Runs an operation with the fields that were filled in. */
  const run = async (id: string, request: EndpointRequest<OwnerSession, unknown, Fields>) => {
    const { body: schema = z.unknown(), handle } = operations.find((each) => each.id === id) ?? {};
    const filled = Object.entries(request.body).filter(([, value]) => value !== '');
    const input = validate(schema, Object.fromEntries(filled), 'body');
    if (!input.valid) throw invalidArgument(input.violations);
    const body: unknown = input.value;
    return handle?.({ ...request, body });
  };
  const form = (path: string) =>
    ({
      id: `send${path}`,
      method: 'post',
      path: `/console/${path}`,
      unauthenticated: true,
      bodyType: 'form',
      query: wantedPage,
      body: z.record(z.string(), z.string()),
    }) as const;
  return [
    serveOperation(form('sign-in'), async (request) => {
      const next = pathAfterSignIn(request.query.next);
      try {
        const started = await run(createSessionOperation.id, request);
        return { status: 303, headers: { ...started?.headers, location: `/console${next}` } };
      } catch (thrown) {
        const { status, failure } = failureOf(createSessionOperation.id, thrown);
        const needsCode = hasReason(thrown, 'second_factor_required', 'second_factor_wrong');
        const sent = { email: request.body['email'] ?? '', failure, needsCode };
        return signedOutPage(renderSignIn({ ...signInFacts(deps), next, sent }), status);
      }
    }),
    serveOperation(form('forgot-password'), async (request) => {
      try {
        await run(requestPasswordLinkOperation.id, request);
        return signedOutPage(renderForgotPassword(''));
      } catch (thrown) {
        const { status, failure } = failureOf(requestPasswordLinkOperation.id, thrown);
        return signedOutPage(renderForgotPassword(failure), status);
      }
    }),
  ];
}

function failureOf(operation: string, thrown: unknown) {
  const { reason, message, attributes } = ServiceError.from(thrown);
  const sent = { code: reason, error: message, details: attributes.details };
  return { status: httpStatusOf(reason), failure: sentenceOfError(operation, sent) };
}
