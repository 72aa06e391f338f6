import { MCP_PATHS } from '@partner/proto-contracts/api/mcp';
import { ERROR_REASON_CATALOGUE, isErrorReason } from '@partner/proto-contracts/api/error-reasons';
import {
  type ApiDescription,
  componentName,
  type DescribedOperation,
  type DescribedParameter,
  type DescribedResponse,
} from '@partner/proto-contracts/openapi/api-description';
import { z } from 'zod';
import { PATHS } from './render-page.js';
import { curlCommand } from './request-examples.js';

/**
 * Renders the reference as Markdown, for assistants: `guide`, a page for each operation by its id, and one for each webhook by its
 * event. A page needs no other one: its schemas are complete.
 */
export function markdownPages(description: ApiDescription): ReadonlyMap<string, string> {
  const { title, guide, operations, webhooks } = description;
  return new Map([
    ['guide', `# ${title}\n\n${guide.trim()}\n`],
    ...operations.map((operation) => [operation.id, pageOf(operation, description)] as const),
    ...webhooks.map((webhook) => [webhook.path, pageOf(webhook, description)] as const),
  ]);
}

/** Renders `llms.txt` (llmstxt.org): what the API is, and a link to each Markdown page. `urlOf` returns the URL of a path. */
export function llmsText(description: ApiDescription, urlOf: (path: string) => string) {
  const pageUrl = (page: string) => urlOf(`/docs/pages/${page}.md`);
  const mcp = Object.values(MCP_PATHS).map(urlOf).join(' and ');
  const linkTo = ({ path, summary, method }: DescribedOperation, page: string, isWebhook = false) =>
    `- [${isWebhook ? path : `${method} ${path}`}](${pageUrl(page)}): ${summary}`;
  return [
    `# ${description.title}`,
    '> Partner companies create sales leads, book appointments and pull jobs; installer companies follow their jobs through a change feed and write back; every event reaches a company as a signed webhook.',
    `- [Guide](${pageUrl('guide')}): authentication, errors, limits, retries, signatures\n- [Changelog](${urlOf(PATHS.changelogMarkdown)})\n- Assistants with an API key use the API as tools, over MCP (Streamable HTTP): ${mcp}. See "Assistants" in the guide.`,
    ...description.tags.map(({ name }) => {
      const operations = description.operations.filter(({ tag }) => tag === name);
      const links = operations.map((operation) => linkTo(operation, operation.id));
      return links.length === 0 ? '' : `## ${name}\n\n${links.join('\n')}`;
    }),
    `## Webhooks\n\n${description.webhooks.map((webhook) => linkTo(webhook, webhook.path, true)).join('\n')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function pageOf(operation: DescribedOperation, description: ApiDescription): string {
  const { id, method, path, summary, parameters, body, responses } = operation;
  const isWebhook = description.webhooks.includes(operation);
  const { schemas } = description;
  return [
    `# ${summary}`,
    isWebhook ? `Event \`${path}\`` : `\`${method} ${path}\` (\`${id}\`)`,
    operation.description.trim(),
    ...(isWebhook ? [] : [block('sh', curlCommand(operation, description))]),
    ...(parameters.length === 0 ? [] : ['## Parameters', parameters.map(parameterLine).join('\n')]),
    ...(body === undefined ? [] : ['## Body', json(resolved(body.schema, schemas))]),
    ...(body?.examples ?? []).flatMap((example) => [`Example: ${example.summary}`, json(example.value)]),
    ...responses
      .filter(({ errorCodes }) => errorCodes.length === 0)
      .flatMap((response) => [
        `## Response ${response.status}`,
        response.description,
        ...(response.body === undefined ? [] : [json(resolved(response.body.schema, schemas))]),
        ...(response.body?.examples ?? []).map(({ value }) => json(value)),
      ]),
    ...errorsOf(operation),
  ]
    .join('\n\n')
    .concat('\n');
}

function parameterLine({ name, in: place, required, schema, description = '' }: DescribedParameter): string {
  const type = [schema.type ?? 'string'].flat().join(' or ');
  return `- \`${name}\` (${place}, ${type}${required === true ? ', required' : ''}): ${description}`;
}

function errorsOf({ responses }: DescribedOperation): readonly string[] {
  const lines = describedErrors(responses).map(
    ({ status, code, meaning, action }) => `- ${status} \`${code}\`: ${meaning} ${action}`,
  );
  return lines.length === 0 ? [] : ['## Errors', lines.join('\n')];
}

/** Returns the errors of responses, with what the catalog says about them. */
export function describedErrors(responses: readonly DescribedResponse[]) {
  return responses.flatMap(({ status, errorCodes }) =>
    errorCodes.filter(isErrorReason).map((code) => ({ status, code, ...ERROR_REASON_CATALOGUE[code] })),
  );
}

const referring = z.looseObject({ $ref: z.string().optional() });

/** The schema with the components that it refers to in place; one that contains itself stays a reference. */
function resolved(
  node: unknown,
  schemas: ApiDescription['schemas'],
  within: readonly string[] = [],
): unknown {
  if (Array.isArray(node)) return node.map((each) => resolved(each, schemas, within));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, ...own } = referring.parse(node);
  const name = componentName({ $ref });
  const component = name === undefined ? {} : schemas[name];
  if (component === undefined || within.includes(name ?? '')) return node;
  const names = name === undefined ? within : [...within, name];
  const parts = Object.entries({ ...component, ...own });
  return Object.fromEntries(parts.map(([key, part]) => [key, resolved(part, schemas, names)]));
}

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
const json = (value: unknown) => block('json', JSON.stringify(value, undefined, 2));
