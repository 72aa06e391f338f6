import { type DescEnum, enumFromJson } from '@bufbuild/protobuf';
import type { GenEnum } from '@bufbuild/protobuf/codegenv2';

/** Returns the protobuf value of a public name: `installer-company` is `KEY_KIND_INSTALLER_COMPANY`. Throws if there is none. */
export function enumValue<Value extends number>(descriptor: GenEnum<Value>, name: string): Value;
export function enumValue(descriptor: DescEnum, name: string): number {
  return enumFromJson(descriptor, `${descriptor.sharedPrefix ?? ''}${constantOf(name)}`.toUpperCase());
}

/** Returns the public name of a protobuf value. Undefined for an unset value and for one unknown to this version. */
export function enumName<Name extends string>(
  descriptor: DescEnum,
  names: readonly Name[],
  value: number | undefined,
): Name | undefined {
  const constant = value === undefined ? undefined : descriptor.value[value]?.localName;
  return names.find((name) => constantOf(name) === constant);
}

function constantOf(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
