import type { ApiDescription, DescribedOperation } from '@partner/proto-contracts/openapi/api-description';
import { HTTPSnippet } from '@readme/httpsnippet';
import type { TargetId } from '@readme/httpsnippet/targets';
import { clientExamples, type RequestExample } from './client-examples.js';
import { exampleUrl } from './curl-command.js';

const LANGUAGES: readonly {
  readonly language: string;
  readonly target: TargetId;
  readonly client: string;
}[] = [
  { language: 'TypeScript (fetch)', target: 'node', client: 'fetch' },
  { language: 'Python (requests)', target: 'python', client: 'requests' },
  { language: 'Go', target: 'go', client: 'native' },
  { language: 'Java (java.net.http)', target: 'java', client: 'nethttp' },
];

/**
 * Returns an operation of partners as code, first with the shipped clients, complete except for the key and the idempotency key, with
 * the first example of its body. Empty for operations without an API key: these are for browsers.
 */
export function requestExamples(
  operation: DescribedOperation,
  description: Pick<ApiDescription, 'serverUrl' | 'schemas'>,
): readonly RequestExample[] {
  if (operation.credentials !== 'apiKeyHeader') return [];
  const snippet = new HTTPSnippet(harOf(operation, description.serverUrl));
  const requests = LANGUAGES.flatMap(({ language, target, client }) => {
    const [code] = snippet.convert(target, client) || [];
    return code === undefined ? [] : [{ language, code }];
  });
  return [...clientExamples(operation, description), ...requests];
}

/** Returns the request in the format HTTP Archive 1.2. */
function harOf(
  operation: DescribedOperation,
  serverUrl: string,
): ConstructorParameters<typeof HTTPSnippet>[0] {
  const { method, parameters, body } = operation;
  const [example] = body?.examples ?? [];
  const required = parameters.filter((parameter) => parameter.in === 'header' && parameter.required === true);
  const headers = [
    { name: 'x-api-key', value: 'YOUR_API_KEY' },
    ...required.map(({ name }) => ({ name: name.toLowerCase(), value: 'A_NEW_KEY_FOR_EACH_REQUEST' })),
    ...(example === undefined ? [] : [{ name: 'content-type', value: 'application/json' }]),
  ];
  const request = {
    method,
    url: exampleUrl(operation, serverUrl),
    httpVersion: 'HTTP/1.1',
    headers,
    cookies: [],
    queryString: [],
    headersSize: -1,
    bodySize: -1,
    ...(example !== undefined && {
      postData: { mimeType: 'application/json', text: JSON.stringify(example.value) },
    }),
  };
  return { log: { version: '1.2', creator: { name: 'reference', version: '1' }, entries: [{ request }] } };
}
