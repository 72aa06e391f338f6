import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import type { ReflectMessage } from '@bufbuild/protobuf/reflect';
import { PLATFORM_MESSAGES } from '@partner/proto-contracts/platform-messages';
import { type IdPrefix, isId, newId } from '@partner/kernel/process/ids';
import { readProjectFile } from '@partner/local-stack/project-root';
import type { Document, Json } from './output.js';

/** Prefixes of ids, by the ending of the field's name. */
export const ID_PREFIXES: readonly (readonly [name: string, prefix: IdPrefix])[] = [
  ['company_id', 'cmp'],
  ['membership_id', 'mem'],
  ['job_id', 'job'],
  ['project_id', 'prj'],
  ['document_id', 'doc'],
  ['quote_id', 'quo'],
  ['deposit_id', 'dep'],
  ['invoice_id', 'inv'],
  ['rebate_id', 'reb'],
  ['appointment_id', 'appt'],
  ['lead_id', 'lead'],
  ['entry_id', 'jrn'],
  ['payout_id', 'pay'],
];

const TEXTS: Readonly<Record<string, string>> = {
  blocker_codes: 'PERMIT',
  currency: 'USD',
  email: 'olive@example.com',
  time_zone: 'America/Denver',
  mime: 'application/pdf',
  state: 'CO',
  zip: '80302',
  phone: '+1 555 0100',
};

export function platformType(name: string): DescMessage | undefined {
  return PLATFORM_MESSAGES.find((message) => message.name === name || message.typeName === name);
}

/** Returns the comment of a field in the contract, the only place that says whether it can be absent. */
function commentOf({ parent, name }: DescField): string {
  const proto = readProjectFile(`proto-contracts/proto/${parent.file.name}.proto`);
  const fields = proto.slice(proto.indexOf(`\nmessage ${parent.name} {`));
  const [, comment = ''] = new RegExp(`((?: *//.*\\n)*).* ${name} = \\d+`).exec(fields) ?? [];
  return comment;
}

/** Returns the required top-level fields that are missing or empty; one field of a oneof is enough. */
export function missingFields(type: DescMessage, message: ReflectMessage): readonly string[] {
  const isMissing = (field: DescField) => !message.isSet(field) || message.get(field) === '';
  const missing = type.fields.filter(
    (field) =>
      field.oneof === undefined &&
      field.fieldKind !== 'list' &&
      isMissing(field) &&
      !/absent|required for an owner/.test(commentOf(field)),
  );
  const undecided = type.oneofs.filter(({ fields }) => fields.every(isMissing));
  return [
    ...missing.map(({ jsonName }) => jsonName),
    ...undecided.map(({ fields }) => fields.map(({ jsonName }) => jsonName).join(' or ')),
  ];
}

/** Returns the top-level ids with a wrong prefix, each with the right one. */
export function wrongIds(type: DescMessage, message: ReflectMessage): readonly string[] {
  return type.fields.flatMap((field) => {
    const prefix = prefixOf(field.name);
    if (prefix === undefined || !message.isSet(field)) return [];
    const value = message.get(field);
    const ids = field.fieldKind === 'list' ? [...message.get(field)] : [value];
    return ids
      .map(String)
      .filter((id) => id !== '' && !isId(prefix, id))
      .map((id) => `${field.jsonName} ${id} is not an id that begins with ${prefix}_`);
  });
}

export function fieldType(field: DescField): string {
  const values = field.enum?.values.slice(1).map(({ name }) => name);
  const one = values?.join(' | ') ?? field.message?.name ?? ScalarType[scalarOf(field)].toLowerCase();
  return `${field.fieldKind === 'list' ? 'list of ' : ''}${one}${field.oneof === undefined ? '' : ` (one of ${field.oneof.name})`}`;
}

function scalarOf({ fieldKind, scalar }: DescField): ScalarType {
  const isScalar = fieldKind === 'scalar' || fieldKind === 'list';
  return (isScalar ? scalar : undefined) ?? ScalarType.STRING;
}

export function exampleOf(message: DescMessage, now: Date): Document {
  const example: Record<string, Json> = {};
  for (const field of message.fields) {
    if (field.oneof !== undefined && field !== field.oneof.fields[0]) continue;
    const value = exampleValue(field, now);
    example[field.jsonName] = field.fieldKind === 'list' ? [value] : value;
  }
  return example;
}

function exampleValue(field: DescField, now: Date): Json {
  const { name } = field;
  if (field.message?.typeName === 'google.protobuf.Timestamp') {
    const hours = /^(ends|due|valid)_/.test(name) ? 26 : name.startsWith('starts_') ? 24 : 0;
    return new Date(now.getTime() + hours * 3_600_000).toISOString();
  }
  if (field.message !== undefined) return exampleOf(field.message, now);
  if (field.enum !== undefined) return field.enum.values[1]?.name ?? '';
  switch (scalarOf(field)) {
    case ScalarType.BOOL:
      return name !== 'ready';
    case ScalarType.INT32:
      return 1;
    case ScalarType.INT64:
      return '125000';
    default:
      return exampleText(name);
  }
}

function prefixOf(name: string): IdPrefix | undefined {
  return ID_PREFIXES.find(([ending]) => new RegExp(`(?:^|_)${ending}s?$`).test(name))?.[1];
}

function exampleText(name: string): string {
  const prefix = prefixOf(name);
  if (prefix !== undefined) return newId(prefix);
  return TEXTS[name] ?? name.replaceAll('_', ' ');
}
