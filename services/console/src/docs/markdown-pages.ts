import { ERROR_REASON_CATALOGUE, isErrorReason } from '@partner/proto-contracts/api/error-reasons';
import type {
  ApiDescription,
  DescribedOperation,
  DescribedParameter,
  SchemaNode,
} from '@partner/proto-contracts/openapi/api-description';
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

/** Renders `llms.txt` (llmstxt.org): what the API is, and a link to each Markdown page by its name. */
export function llmsText(
  description: ApiDescription,
  {
    urlOf,
    changelog,
    mcp,
  }: {
    /** Returns the address of a page. */
    readonly urlOf: (page: string) => string;
    readonly changelog: string;
    /** The addresses of the tools for assistants. */
    readonly mcp: readonly string[];
  },
) {
  const linkTo = ({ path, summary, method }: DescribedOperation, page: string, isWebhook = false) =>
    `- [${isWebhook ? path : `${method} ${path}`}](${urlOf(page)}): ${summary}`;
  return [
    `# ${description.title}`,
    '> Partner companies create sales leads, book appointments and pull jobs; installer companies follow their jobs through a change feed and write back; every event reaches a company as a signed webhook.',
    `- [Guide](${urlOf('guide')}): authentication, errors, limits, retries, signatures\n- [Changelog](${changelog})\n- Assistants with an API key use the API as tools, over MCP (Streamable HTTP): ${mcp.join(' and ')}. See "Assistants" in the guide.`,
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
  const lines = responses.flatMap(({ status, errorCodes }) =>
    errorCodes.filter(isErrorReason).map((code) => {
      const { meaning, action } = ERROR_REASON_CATALOGUE[code];
      return `- ${status} \`${code}\`: ${meaning} ${action}`;
    }),
  );
  return lines.length === 0 ? [] : ['## Errors', lines.join('\n')];
}

/** The schema with the components that it refers to in place; one that contains itself stays a reference. */
function resolved(
  node: SchemaNode,
  schemas: ApiDescription['schemas'],
  within: readonly string[] = [],
): SchemaNode {
  const { $ref, ...rest } = node;
  const name = $ref?.slice($ref.lastIndexOf('/') + 1);
  const component = name === undefined ? undefined : schemas[name];
  if (name !== undefined && (component === undefined || within.includes(name))) return node;
  const names = name === undefined ? within : [...within, name];
  const inner = (each: SchemaNode) => resolved(each, schemas, names);
  const { items, anyOf, oneOf, properties, ...own } = { ...component, ...rest };
  return {
    ...own,
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(inner) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(inner) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([field, each]) => [field, inner(each)]),
          ),
        }),
  };
}

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
const json = (value: unknown) => block('json', JSON.stringify(value, undefined, 2));
