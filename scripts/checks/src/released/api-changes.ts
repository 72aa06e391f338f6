import { apiCompare, breaking } from 'api-smart-diff';
import { z } from 'zod';

/** Further changes that break generated clients, besides those that the library reports. */
const GENERATED = new Set<unknown>(['operationId', 'type', 'format', 'const']);

/** What grows without a version. For a kind of key or an action that a caller knows first: job-state is upgraded first, and refuses it until then. */
const GROWING =
  /^\/(partner-api\/(audit-entries\/get\/.*\/action|api-keys\/.*\/responses\/.*\/kind|events\/\{id\}\/get\/.*\/verdict|(replays|webhooks\/\{id\}\/replays?)\/?.*\/responses\/.*\/kind)|(console|operators)\/createApiKey, made\/.*\/kind|console\/listAuditEntries, made\/.*\/action)\/enum\/\d+: add$/;

const description = z.looseObject({
  components: z.looseObject({
    securitySchemes: z.record(z.string(), z.object({ in: z.string(), name: z.string() })).default({}),
  }),
  paths: z.record(z.string(), z.unknown()),
  webhooks: z.record(
    z.string(),
    z.object({ post: z.looseObject({ requestBody: z.object({ content: z.unknown() }) }) }),
  ),
});

const requirements = z.array(z.record(z.string(), z.unknown()));

/**
 * Returns the changes of an API description since a release that break a partner's client: less in a response or a
 * webhook, more in a request.
 */
export function breakingApiChanges(released: unknown, current: unknown): readonly string[] {
  const { diffs } = apiCompare(comparable(released), comparable(current));
  return diffs
    .filter(({ path: [root] }) => root === 'paths')
    .filter(({ path, type, action }) => {
      const isGenerated = path.at(-1) === 'operationId' || path.includes('responses');
      return type === breaking || (action === 'replace' && isGenerated && GENERATED.has(path.at(-1)));
    })
    .map(({ path: [, ...place], action }) => `${place.join('/')}: ${action}`)
    .filter((change) => !GROWING.test(change));
}

/**
 * Removes texts, whose changes break nothing, and converts each webhook to a response, since the service sends it. Credentials are named
 * by what a request carries, because the name of their scheme is no part of it.
 */
function comparable(document: unknown): object {
  const { securitySchemes } = description.parse(document).components;
  const { components, paths, webhooks } = description.parse(
    JSON.parse(JSON.stringify(document), (key, value: unknown) => {
      if (['description', 'summary'].includes(key) && typeof value === 'string') return undefined;
      if (key !== 'security') return value;
      return requirements
        .parse(value)
        .map((requirement) =>
          Object.fromEntries(
            Object.entries(requirement).map(([scheme, scopes]) => [
              `${securitySchemes[scheme]?.in} ${securitySchemes[scheme]?.name}`,
              scopes,
            ]),
          ),
        );
    }),
  );
  const sent = Object.entries(webhooks).map(([event, { post }]): [string, unknown] => [
    `webhook ${event}`,
    { post: { responses: { 200: { content: post.requestBody.content } } } },
  ]);
  return { openapi: '3.1.1', components, paths: { ...paths, ...Object.fromEntries(sent) } };
}
