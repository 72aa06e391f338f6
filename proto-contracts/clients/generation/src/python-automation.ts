import {
  componentName,
  type DescribedOperation,
  type DescribedParameter,
  readApiDescription,
} from '@partner/proto-contracts/openapi/api-description';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';

const PREFIX = 'automation';

/** A function for each operation with an `automation` key. It returns a call, whose result has the type of the module of types. */
export function pythonAutomation(): string {
  const document = createOpenApiDocument({ serverUrl: '', sessionCookie: '', today: '2026-01-01' });
  const { operations } = readApiDescription(JSON.parse(JSON.stringify(document)));
  const ofPrograms = operations.filter(({ tag }) => tag.toLowerCase() === PREFIX);
  const types = ofPrograms.flatMap((operation) => [bodyOf(operation) ?? [], resultsOf(operation)].flat());
  return `"""The calls with an API key of kind \`automation\`."""

from datetime import datetime
from typing import Literal

from ..calls import Call
from .automation_types import ${[...new Set(types)].join(', ')}

${ofPrograms.map(functionOf).join('\n\n')}
`;
}

function functionOf(operation: DescribedOperation): string {
  const { id, method, path, summary, parameters } = operation;
  const of = (place: DescribedParameter['in']) => parameters.filter((one) => one.in === place);
  const bodyType = bodyOf(operation);
  const named = [
    ...of('path').map(({ name }) => `${name}: str`),
    ...(bodyType === undefined ? [] : [`body: ${bodyType}`]),
    ...of('query').map(
      (one, place) => `${place === 0 ? '*, ' : ''}${argumentOf(one)}: ${typeOf(one)} | None = None`,
    ),
  ];
  const dictionary = (ofPlace: readonly DescribedParameter[]) =>
    `{${ofPlace.map((one) => `"${one.name}": ${argumentOf(one)}`).join(', ')}}`;
  const given = [
    `"${method}", "${path}"`,
    ...(of('path').length === 0 ? [] : [`ids=${dictionary(of('path'))}`]),
    ...(of('query').length === 0 ? [] : [`query=${dictionary(of('query'))}`]),
    ...(bodyType === undefined ? [] : ['body=body']),
  ];
  return `
def ${snakeCase(id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id)}(${named.join(', ')}) -> Call[${resultsOf(operation).join(' | ')}]:
    """${summary}."""
    return Call(${given.join(', ')})`;
}

function bodyOf({ body }: DescribedOperation): string | undefined {
  return body && componentName(body.schema);
}

function resultsOf({ responses }: DescribedOperation): readonly string[] {
  return responses.flatMap(({ status, body }) => {
    const name = status.startsWith('2') && body ? componentName(body.schema) : undefined;
    return name === undefined ? [] : [name];
  });
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '');
}

/** `from` is a word of the language. */
function argumentOf({ name }: DescribedParameter): string {
  return name === 'from' ? 'from_' : snakeCase(name);
}

function typeOf({ schema: { type, format, enum: values } }: DescribedParameter): string {
  if (values !== undefined) return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
  if (type === 'integer') return 'int';
  return format === 'date-time' ? 'datetime' : 'str';
}
