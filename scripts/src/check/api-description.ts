import { createConfig, lintFromString } from '@redocly/openapi-core';

/**
 * The problems that the recommended rules for OpenAPI find in a document; empty when there are none. Warnings count too.
 */
export async function lintApiDescription(document: unknown): Promise<readonly string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // Closed to other fields, as is the default, each part of a schema with `if` and `then` would be closed by itself, and
      // nothing could fit. That examples have no other fields is told by the test of the check of answers.
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    },
  });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  });
  return problems.map(
    ({ ruleId, message, location }) => `${location[0]?.pointer ?? '#'}: ${message} (${ruleId})`,
  );
}
