import { readApiDescription } from '@partner/proto-contracts/openapi/api-description';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import converter from 'openapi-to-postmanv2';
import { z } from 'zod';

/** The date of examples that need a recent time. */
const TODAY = '1970-01-01';
/** Differs in each conversion. */
const RANDOM_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * Converts the operations with an API key to a Postman collection (v2.1), as JSON, the same in each build. The console adds its
 * variables `baseUrl` and `apiKey`. Each request gets a new idempotency key and, where it needs one, the current time.
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
  const text = JSON.stringify(collection, (name, value: unknown) => {
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
