import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { LIMITS } from '../api/limits.js';
import type { AnyOperation, OperationResponse } from '../api/operation.js';
import { isForViewers } from '../api/roles.js';
import { keyKindsOf } from '../api/scopes.js';
import { errorResponseReferences } from './error-responses.js';
import { requestParameters } from './request-parameters.js';
import { headerObject, successHeaders } from './response-headers.js';
import type { DocumentedSurface } from './surfaces.js';

export function operationObject(
  operation: AnyOperation,
  surface: DocumentedSurface,
  today: string,
): ZodOpenApiOperationObject {
  const { id, summary, body, scope } = operation;
  return {
    operationId: id,
    summary,
    description: describe(operation, surface),
    tags: [surface.tag],
    ...(operation.unauthenticated === true
      ? { security: [] }
      : { security: [{ [surface.credentials]: scope === undefined ? [] : [scope] }] }),
    ...(scope === undefined ? {} : { 'x-required-scope': scope }),
    requestParams: requestParameters(operation, surface),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: {
              'application/json': { schema: body, examples: bodyExamples(operation, today) },
            },
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [
          status,
          successResponse(response, operation, surface),
        ]),
      ),
      ...(operation.conditional === true
        ? {
            '304': {
              description: 'The content that `If-None-Match` names is unchanged. No body.',
              headers: successHeaders(operation, surface),
            },
          }
        : {}),
      ...errorResponseReferences(operation, surface),
    },
  };
}

function bodyExamples({ bodyExamples: given = {} }: AnyOperation, today: string) {
  return Object.fromEntries(
    Object.entries(given).map(([name, { recentField, summary, value }]) => [
      name,
      recentField === undefined
        ? { summary, value }
        : {
            summary,
            value: { ...value, [recentField]: `${today}T00:00:00Z` },
            'x-recent-field': recentField,
          },
    ]),
  );
}

function successResponse(
  response: OperationResponse,
  operation: AnyOperation,
  surface: DocumentedSurface,
): ZodOpenApiResponseObject {
  const { description, schema, example, headers = {}, mediaType = 'application/json' } = response;
  return {
    description,
    headers: {
      ...successHeaders(operation, surface),
      ...Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, headerObject(header)])),
    },
    ...(schema === undefined ? {} : { content: { [mediaType]: { schema, example } } }),
  };
}

function describe(operation: AnyOperation, surface: DocumentedSurface): string {
  return [
    operation.description.trim(),
    credentialsOf(operation, surface),
    bodyLimitOf(operation, surface),
    idempotencyOf(operation),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n');
}

function credentialsOf(operation: AnyOperation, surface: DocumentedSurface): string {
  const { scope, unauthenticated } = operation;
  if (unauthenticated === true) return '**Needs** no session.';
  if (surface.keySurface === undefined) {
    return isForViewers(operation)
      ? '**Needs** the session of an owner or a viewer.'
      : "**Needs** an owner's session; that of a viewer is a 403.";
  }
  const kinds = keyKindsOf(surface.keySurface, scope).map((kind) => `\`${kind}\``);
  return `**Needs** the scope \`${scope ?? ''}\`: a key of kind ${kinds.join(' or ')}.`;
}

/** The limit of the console's operations; the others have that of the guide. */
function bodyLimitOf(
  { body, maxBodyBytes = LIMITS.consoleBodyBytes }: AnyOperation,
  { keySurface }: DocumentedSurface,
): string | undefined {
  if (body === undefined || keySurface !== undefined) return undefined;
  return `**Body** of at most ${maxBodyBytes / 1_024} KB.`;
}

function idempotencyOf({ idempotencyKey, idempotencyKeyInBody }: AnyOperation): string | undefined {
  if (idempotencyKey === 'required') {
    return '**Safe to repeat** with the same `Idempotency-Key`: it returns the first response again, with no second effect.';
  }
  if (idempotencyKey === 'optional') {
    return '**Safe to repeat** when sent with an `Idempotency-Key`: it returns the first response again, with no second effect.';
  }
  return idempotencyKeyInBody === true
    ? '**Safe to repeat** with the same `idempotencyKey`: no second effect.'
    : undefined;
}
