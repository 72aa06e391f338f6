import type {
  ApiDescription,
  DescribedExample,
  DescribedOperation,
} from '@partner/proto-contracts/openapi/api-description';

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

/** Returns the operation's address with the examples of its path parameters. */
export function exampleUrl({ path, parameters }: DescribedOperation, serverUrl: string): string {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, example ?? name), path);
  return `${serverUrl}${filled}`;
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

/** Formats JSON with its lines indented below their option. */
function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
