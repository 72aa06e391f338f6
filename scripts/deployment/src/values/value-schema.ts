import { z } from 'zod';

/** JSON Schema of a chart's value or of a setting. Other keywords are kept unchanged. */
export type ValueSchema = Readonly<z.infer<typeof valueSchema>>;

const valueSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  unit: z.string().optional(),
  isSecret: z.boolean().optional(),
  get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof valueSchema>> {
    return z.record(z.string(), valueSchema).optional();
  },
  required: z.array(z.string()).optional(),
});

/** Returns the JSON Schema of the input or the output of a schema. Helm reads draft 7. */
export function toValueSchema(schema: z.ZodType, io: 'input' | 'output'): ValueSchema {
  return valueSchema.parse(z.toJSONSchema(schema, { target: 'draft-7', unrepresentable: 'any', io }));
}

/** Returns whether a value is a group of named values, rather than one value with a default. */
export function isGroup(schema: ValueSchema): boolean {
  return schema['additionalProperties'] === false && schema.default === undefined;
}

/** Describes the values that a schema allows; empty if only a pattern or nothing restricts them. */
export function allowedValues({ enum: options, minimum, maximum, unit }: ValueSchema): string {
  if (options !== undefined) {
    return options
      .filter((option) => option !== '')
      .map((option) => `\`${option}\``)
      .join(', ');
  }
  if (minimum === undefined || maximum === undefined) return unit ?? '';
  return `${minimum} to ${maximum}${unit === undefined ? '' : ` ${unit}`}`;
}
