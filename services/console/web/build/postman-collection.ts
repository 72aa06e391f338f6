import {
  type DescribedOperation,
  readApiDescription,
} from '@partner/proto-contracts/openapi/api-description';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import converter from 'openapi-to-postmanv2';
import { z } from 'zod';
import { bodyOf, keyVariableOf, pathValueOf, scriptOf } from './postman-chain.js';

/** The date of examples that need a recent time. */
const TODAY = '1970-01-01';
/** Differs in each conversion. */
const RANDOM_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * Converts the operations with an API key to a Postman collection (v2.1), as JSON, the same in each build. The console sets its
 * variable `baseUrl`; the reader sets a key of each kind. Each request gets a new idempotency key and, where it needs one, the current
 * time. Ids are variables that the responses of earlier requests set, so that a folder runs from its first request to its last.
 */
export async function postmanCollection(): Promise<string> {
  const openApi = createOpenApiDocument({
    serverUrl: 'https://api.partner.example',
    sessionCookie: 'session',
    today: TODAY,
  });
  const { operations } = readApiDescription(JSON.parse(JSON.stringify(openApi)));
  const withKey = operations.filter(({ credentials }) => credentials === 'apiKeyHeader');
  const collection = await converted({
    ...openApi,
    info: { title: openApi.info.title, version: openApi.info.version },
    tags: openApi.tags?.filter(({ name }) => withKey.some(({ tag }) => tag === name)),
    paths: Object.fromEntries(
      Object.entries(openApi.paths ?? {}).filter(([path]) => withKey.some((one) => one.path === path)),
    ),
    webhooks: {},
  });
  const chained = chain(collection, withKey);
  const text = JSON.stringify(chained, (name, value: unknown) => {
    // The responses are in the reference.
    if (name === 'response') return [];
    const { data: option } = enabledOption.safeParse(value);
    if (option !== undefined && isOptional(option)) return { ...option, disabled: true };
    return typeof value === 'string' && /^_?(?:postman_)?id$/.test(name) && RANDOM_ID.test(value)
      ? undefined
      : value;
  });
  return text
    .replaceAll(/("key":"Idempotency-Key","value":)"[^"]*"/g, '$1"{{$guid}}"')
    .replaceAll(`${TODAY}T00:00:00Z`, '{{$isoTimestamp}}');
}

/** The jobs of now, with their versions: the feed begins with jobs that are done. */
const SNAPSHOT: Readonly<Record<string, string>> = { view: 'snapshot', limit: '100' };

const item = z.looseObject({
  name: z.string(),
  request: z.looseObject({
    url: z.looseObject({
      query: z.array(z.looseObject({ key: z.string() })),
      variable: z.array(z.looseObject({ key: z.string() })),
    }),
    body: z.looseObject({}).optional(),
  }),
});

const folders = z.looseObject({
  item: z.array(z.looseObject({ name: z.string(), item: z.array(item) })),
  variable: z.array(z.looseObject({ key: z.string() })),
});

function chain(collection: object, operations: readonly DescribedOperation[]): object {
  const parsed = folders.parse(collection);
  const keys = new Set(operations.map(keyVariableOf));
  const variable = [...parsed.variable, ...[...keys].map((key) => ({ key, value: '' }))];
  const folder = parsed.item.map((each) => {
    const ofTag = operations.filter(({ tag }) => tag === each.name);
    const items = each.item.flatMap((one) => {
      const operation = ofTag.find(({ summary }) => summary === one.name);
      return operation === undefined ? [] : [{ operation, ...chained(one, operation) }];
    });
    // A preview names the webhook that the replay then sends to.
    const isFirst = ({ operation }: (typeof items)[number]) =>
      !/\/replays?(?:\/\{id\})?$/.test(operation.path);
    const ordered = [...items.filter(isFirst), ...items.filter((one) => !isFirst(one))];
    const needsWebhook = ordered.filter(({ operation }) => operation.path.endsWith('/manifest'));
    const rest = ordered.filter((one) => !needsWebhook.includes(one));
    return { ...each, item: [...rest, ...needsWebhook].map(({ operation: _, ...one }) => one) };
  });
  return { ...parsed, item: folder, variable };
}

function chained(one: z.infer<typeof item>, operation: DescribedOperation): z.infer<typeof item> {
  const { url, body } = one.request;
  const script = scriptOf(operation);
  const raw = bodyOf(operation);
  return {
    ...one,
    ...(script.length > 0 && {
      event: [{ listen: 'test', script: { type: 'text/javascript', exec: script } }],
    }),
    request: {
      ...one.request,
      ...(body !== undefined && { body: { ...body, ...(raw !== undefined && { raw }) } }),
      auth: {
        type: 'apikey',
        apikey: [
          { key: 'key', value: 'x-api-key' },
          { key: 'value', value: `{{${keyVariableOf(operation)}}}` },
          { key: 'in', value: 'header' },
        ],
      },
      url: {
        ...url,
        variable: url.variable.map((each) => ({
          ...each,
          value: pathValueOf(operation, each.key) ?? each['value'],
        })),
        query: url.query.map((each) => {
          const value = operation.id === 'listJobFeed' ? SNAPSHOT[each.key] : undefined;
          return value === undefined ? each : { ...each, value, disabled: false, description: undefined };
        }),
      },
    },
  };
}

const enabledOption = z.looseObject({
  key: z.string(),
  disabled: z.literal(false),
  description: z.object({ content: z.string() }),
});

/** Optional parameters are there to be switched on, apart from the key that makes a write safe to repeat. */
function isOptional({ key, description }: z.infer<typeof enabledOption>): boolean {
  return !description.content.startsWith('(Required)') && key !== 'Idempotency-Key';
}

function converted(openApi: object): Promise<object> {
  return new Promise((resolve, reject) => {
    converter.convertV2(
      { type: 'json', data: openApi },
      { folderStrategy: 'Tags', parametersResolution: 'Example' },
      (error, { reason, output: [collection] = [] }) => {
        if (collection === undefined) reject(error ?? new Error(`no Postman collection: ${reason ?? ''}`));
        else resolve(collection.data);
      },
    );
  });
}
