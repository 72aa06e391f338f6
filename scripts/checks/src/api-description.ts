import { createConfig, lintFromString } from '@redocly/openapi-core';

/** No operation refers to the union of all webhooks: generated clients use it. */
const ONLY_FOR_CLIENTS = '#/components/schemas/WebhookEnvelope';

/**
 * Returns the problems that the recommended rules for OpenAPI find in a document, warnings included.
 */
export async function lintApiDescription(document: unknown): Promise<readonly string[]> {
  const config = await createConfig({
    extends: ['recommended'],
  });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  });
  return problems
    .map(({ ruleId, message, location }) => `${location[0]?.pointer ?? '#'}: ${message} (${ruleId})`)
    .filter((problem) => !problem.startsWith(`${ONLY_FOR_CLIENTS}: `));
}
