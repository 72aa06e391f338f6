import type { ApiDescription, DescribedOperation } from '@partner/proto-contracts/openapi/api-description';

/** A request as code. */
export interface RequestExample {
  readonly language: string;
  readonly code: string;
}

/**
 * Returns an operation of partners as calls of the shipped clients, complete except for the key, with the first example of its body. A
 * call makes its idempotency key itself. Without Python for a body of several forms, whose models only its client knows.
 */
export function clientExamples(
  operation: DescribedOperation,
  { serverUrl, schemas }: Pick<ApiDescription, 'serverUrl' | 'schemas'>,
): readonly RequestExample[] {
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
  const module = operation.id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const [example] = operation.body?.examples ?? [];
  const model = modelOf(operation);
  const body = model === undefined ? [] : [`body=${model}.from_dict(${pythonLiteral(example?.value, '')})`];
  const values = pathExamples(operation).map(([, value]) => JSON.stringify(value));
  return `from partner_client import create_partner_client
from partner_client.gen.api.${operation.tag.toLowerCase()} import ${module}
${model === undefined ? '' : `from partner_client.gen.models import ${model}\n`}
partner = create_partner_client("${serverUrl}", "YOUR_API_KEY")
print(${module}.sync(${[...values, 'client=partner', ...body].join(', ')}))
`;
}

const modelOf = ({ body }: DescribedOperation) => /\w+$/.exec(body?.schema.$ref ?? '')?.[0];

/** The path parameters with their examples, in the order of the path. */
function pathExamples({ path, parameters }: DescribedOperation): readonly (readonly [string, string])[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const found = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name);
    return [name, found?.example ?? name] as const;
  });
}

function pythonLiteral(value: unknown, indent: string): string {
  const inner = `${indent}    `;
  const lines = (open: string, items: readonly string[], close: string) =>
    items.length === 0
      ? `${open}${close}`
      : `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`;
  if (Array.isArray(value))
    return lines(
      '[',
      value.map((item) => pythonLiteral(item, inner)),
      ']',
    );
  if (typeof value === 'object' && value !== null)
    return lines(
      '{',
      Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item, inner)}`),
      '}',
    );
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null || value === undefined ? 'None' : JSON.stringify(value);
}
