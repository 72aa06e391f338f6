import type {
  ApiDescription,
  DescribedExample,
  DescribedOperation,
} from '@partner/proto-contracts/openapi/api-description';
import { HTTPSnippet } from '@readme/httpsnippet';
import type { TargetId } from '@readme/httpsnippet/targets';

/** Returns an operation as a curl command, complete except for the key, with the first example of its body. */
export function curlCommand(
  operation: DescribedOperation,
  { serverUrl }: Pick<ApiDescription, 'serverUrl'>,
): string {
  const { method, parameters, body } = operation;
  const headers = parameters
    .filter((parameter) => parameter.in === 'header' && parameter.required === true)
    .map(({ name }) => headerOption(name, serverUrl));
  const [example] = body?.examples ?? [];
  const options = [
    ...credentialsOptions(operation),
    ...headers,
    ...(example === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quotedBody(example)}`]),
  ];
  const hasPlainMethod = method === 'GET' || (method === 'POST' && example !== undefined);
  const start = `curl -sS ${hasPlainMethod ? '' : `-X ${method} `}${quoted(exampleUrl(operation, serverUrl))}`;
  return [start, ...options].join(' \\\n  ');
}

function exampleUrl(operation: DescribedOperation, serverUrl: string): string {
  const fill = (path: string, [name, value]: readonly [string, string]) => path.replace(`{${name}}`, value);
  return `${serverUrl}${pathExamples(operation).reduce(fill, operation.path)}`;
}

function credentialsOptions({ id, credentials }: DescribedOperation): readonly string[] {
  if (credentials === 'apiKeyHeader') return ['-H "x-api-key: $API_KEY"'];
  if (id === 'createSession') return ['-c cookies.txt'];
  return credentials === 'sessionCookie' ? ['-b cookies.txt'] : [];
}

function headerOption(name: string, serverUrl: string): string {
  switch (name) {
    case 'Idempotency-Key':
      return '-H "Idempotency-Key: $(date +%s%N)"';
    case 'Origin':
      return `-H ${quoted(`Origin: ${new URL(serverUrl).origin}`)}`;
    default:
      return `-H ${quoted(`${name}: …`)}`;
  }
}

/** Quotes the body for the shell; the shell's clock supplies a time that must be recent. */
function quotedBody({ value, recentField }: DescribedExample): string {
  const text = quoted(indented(value));
  return recentField === undefined
    ? text
    : text.replace(
        new RegExp(`("${recentField}": ")[^"]*`),
        (_, start: string) => `${start}'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'`,
      );
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

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
) {
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

/**
 * Returns an operation of partners as calls of the shipped clients, complete except for the key, with the first example of its body. A
 * call makes its idempotency key itself. Without Python for a body of several forms, whose models only its client knows.
 */
function clientExamples(
  operation: DescribedOperation,
  { serverUrl, schemas }: Pick<ApiDescription, 'serverUrl' | 'schemas'>,
) {
  const isOneOfSeveral = schemas[modelOf(operation) ?? '']?.oneOf !== undefined;
  const python = { language: 'Python (client)', code: pythonCall(operation, serverUrl) };
  return [
    { language: 'TypeScript (client)', code: typescriptCall(operation, serverUrl) },
    ...(isOneOfSeveral ? [] : [python]),
  ];
}

function typescriptCall(operation: DescribedOperation, serverUrl: string): string {
  const { method, path } = operation;
  const params = pathExamples(operation);
  const [example] = operation.body?.examples ?? [];
  const input = {
    ...(params.length > 0 && { params: { path: Object.fromEntries(params) } }),
    ...(example !== undefined && { body: example.value }),
  };
  const rest = Object.keys(input).length === 0 ? '' : `, ${JSON.stringify(input, null, 2)}`;
  return `import { createPartnerClient } from '@partner/client';

const partner = createPartnerClient({ baseUrl: '${serverUrl}', apiKey: 'YOUR_API_KEY' });
console.log(await partner.${method}('${path}'${rest}));
`;
}

function pythonCall(operation: DescribedOperation, serverUrl: string): string {
  if (operation.tag === 'Automation') return pythonDictionaryCall(operation, serverUrl);
  const module = snakeCase(operation.id);
  const [example] = operation.body?.examples ?? [];
  const model = modelOf(operation);
  const body = model === undefined ? [] : [`body=${model}.from_dict(${pythonLiteral(example?.value)})`];
  const values = pathExamples(operation).map(([, value]) => JSON.stringify(value));
  return `from partner_client import create_partner_client
from partner_client.gen.api.${operation.tag.toLowerCase()} import ${module}
${model === undefined ? '' : `from partner_client.gen.models import ${model}\n`}
partner = create_partner_client("${serverUrl}", "YOUR_API_KEY")
print(${module}.sync(${[...values, 'client=partner', ...body].join(', ')}))
`;
}

/** The client has a function for such an operation, whose input and result are dictionaries. */
function pythonDictionaryCall(operation: DescribedOperation, serverUrl: string): string {
  const name = snakeCase(operation.id).replace('automation_', '');
  const bodies = (operation.body?.examples ?? []).slice(0, 1).map(({ value }) => pythonLiteral(value));
  const values = pathExamples(operation).map(([, value]) => JSON.stringify(value));
  return `from partner_client import create_partner_client
from partner_client.gen.automation import ${name}

partner = create_partner_client("${serverUrl}", "YOUR_API_KEY")
print(${name}(${[...values, ...bodies].join(', ')}).sync(client=partner))
`;
}

function snakeCase(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const modelOf = ({ body }: DescribedOperation) => /\w+$/.exec(body?.schema.$ref ?? '')?.[0];

/** The path parameters with their examples, in the order of the path. */
function pathExamples({ path, parameters }: DescribedOperation): readonly (readonly [string, string])[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const found = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name);
    return [name, found?.example ?? name] as const;
  });
}

const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** Returns JSON as a Python literal, with a comma after the last item too. */
function pythonLiteral(value: unknown): string {
  return JSON.stringify(value ?? null, null, 4)
    .replaceAll(/(?<![,{[])\n/g, ',\n')
    .replaceAll(/"(?:[^"\\]|\\.)*"|true|false|null/g, (token) => PYTHON[token] ?? token);
}
