import { z } from 'zod';

/** A schema, in the subset of JSON Schema that the API description uses. */
export interface SchemaNode {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly format?: string | undefined;
  readonly pattern?: string | undefined;
  readonly description?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: SchemaNode | undefined;
  readonly anyOf?: readonly SchemaNode[] | undefined;
  readonly oneOf?: readonly SchemaNode[] | undefined;
  readonly properties?: Readonly<Record<string, SchemaNode>> | undefined;
}

/** The document is our own, so the parts of its schemas are not checked again. */
const schemaNode = z.custom<SchemaNode>((value) => typeof value === 'object' && value !== null);

const reference = z.object({ $ref: z.string() });

const example = z.object({
  summary: z.string().optional(),
  value: z.unknown(),
  'x-recent-field': z.string().optional(),
});

const content = z.object({
  // Absent for a body that is not JSON.
  'application/json': z
    .object({
      schema: schemaNode,
      example: z.unknown().optional(),
      examples: z.record(z.string(), example).optional(),
    })
    .optional(),
});

const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: schemaNode,
  example: z.string().optional(),
});

const header = z.object({
  description: z.string(),
  required: z.boolean().optional(),
  example: z.union([z.string(), z.number()]).transform(String),
});

const response = z.object({
  description: z.string(),
  headers: z.record(z.string(), z.union([reference, header])).default({}),
  content: content.optional(),
  'x-error-codes': z.array(z.string()).default([]),
});

const operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  tags: z.tuple([z.string()]),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  'x-required-scope': z.string().optional(),
  parameters: z.array(z.union([reference, parameter])).default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.union([reference, response])),
});

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const document = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.tuple([z.object({ url: z.string() })]),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.partialRecord(z.enum(METHODS), operation)),
  webhooks: z.record(z.string(), z.object({ post: operation })),
  components: z.object({
    schemas: z.record(z.string(), schemaNode),
    parameters: z.record(z.string(), parameter),
    headers: z.record(z.string(), header),
    responses: z.record(z.string(), response),
    securitySchemes: z.record(z.string(), z.object({ in: z.string(), name: z.string() })),
  }),
});

export interface DescribedExample {
  readonly name: string;
  readonly summary: string;
  readonly value: unknown;
  /** A field of the value that needs a recent date when the body is sent. */
  readonly recentField?: string | undefined;
}

export type DescribedParameter = z.infer<typeof parameter>;
/** An operation or a webhook, with every reference to a parameter, response or header resolved. */
export type DescribedOperation = ReturnType<ReturnType<typeof createOperationReader>>;
export type DescribedResponse = DescribedOperation['responses'][number];
/** The API description, in the form for rendering and checks. */
export type ApiDescription = ReturnType<typeof readApiDescription>;

/** Reads an OpenAPI document of `createOpenApiDocument`. Throws if it has another form. */
export function readApiDescription(openApi: unknown) {
  const { info, servers, tags, paths, webhooks, components } = document.parse(openApi);
  const read = createOperationReader(components);
  return {
    title: info.title,
    version: info.version,
    /** In Markdown. */
    guide: info.description,
    serverUrl: servers[0].url,
    tags,
    operations: Object.entries(paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const found = item[method];
        return found === undefined ? [] : [read(method.toUpperCase(), path, found)];
      }),
    ),
    webhooks: Object.entries(webhooks).map(([event, { post }]) => read('POST', event, post)),
    schemas: components.schemas,
    securitySchemes: components.securitySchemes,
  };
}

/** Returns the name of the component that a schema is or refers to; undefined for an inline schema. */
export function componentName(schema: SchemaNode): string | undefined {
  return schema.$ref?.slice(schema.$ref.lastIndexOf('/') + 1);
}

function createOperationReader(components: z.infer<typeof document>['components']) {
  return (method: string, path: string, found: z.infer<typeof operation>) => ({
    id: found.operationId,
    /** In upper case. */
    method,
    /** E.g. `/partner/v1/jobs/{id}`; for a webhook the name of the event. */
    path,
    tag: found.tags[0],
    summary: found.summary,
    description: found.description,
    scope: found['x-required-scope'],
    /** Name of its security scheme; undefined for a public operation. */
    credentials: found.security.flatMap((requirement) => Object.keys(requirement))[0],
    parameters: found.parameters.map((one) => ('$ref' in one ? referred(components.parameters, one) : one)),
    body: found.requestBody === undefined ? undefined : describedBody(found.requestBody.content),
    responses: Object.entries(found.responses).map(([status, one]) => {
      const documented = '$ref' in one ? referred(components.responses, one) : one;
      return {
        status,
        description: documented.description,
        headers: Object.entries(documented.headers).map(([name, named]) => ({
          name,
          ...('$ref' in named ? referred(components.headers, named) : named),
        })),
        body: documented.content === undefined ? undefined : describedBody(documented.content),
        errorCodes: documented['x-error-codes'],
      };
    }),
  });
}

function describedBody({ 'application/json': json }: z.infer<typeof content>) {
  if (json === undefined) return undefined;
  const several = Object.entries(json.examples ?? {}).map(([name, { summary = name, ...rest }]) => ({
    name,
    summary,
    value: rest.value,
    recentField: rest['x-recent-field'],
  }));
  const one =
    json.example === undefined ? [] : [{ name: 'example', summary: 'Example', value: json.example }];
  const examples: readonly DescribedExample[] = [...one, ...several];
  return { schema: json.schema, examples };
}

function referred<T>(components: Readonly<Record<string, T>>, { $ref }: { readonly $ref: string }): T {
  const found = components[$ref.slice($ref.lastIndexOf('/') + 1)];
  if (found === undefined) throw new Error(`the API description refers to ${$ref}, which it does not have`);
  return found;
}
