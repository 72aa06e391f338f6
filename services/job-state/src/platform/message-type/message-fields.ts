import { type DescEnum, isMessage } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { enumName } from '@partner/proto-contracts/values/enum-names';
import { type IdPrefix, isId } from '@partner/kernel/process/ids';
import { z } from 'zod';

/** Maximum length of a person's, a company's, a programme's or an option's name, in characters. */
export const NAME_LENGTH = 120;
/** Maximum length of a code or a number for people, such as a work order's, in characters. */
export const CODE_LENGTH = 60;
/** Maximum length of each address field and each text of a scope, in characters. */
export const TEXT_LENGTH = 200;
const LIST_LENGTH = 200;
const { min: FIRST_YEAR, max: LAST_YEAR } = LIMITS.acceptedYears;
const AMOUNT_LIMIT = 9_000_000_000_000_000n;

export const text = (length: number) =>
  z
    .string({ error: 'is missing' })
    .min(1, 'is empty')
    .max(length, `is longer than ${length} characters`)
    .refine((value) => !value.includes('\u0000'), 'holds the character U+0000');

const PHONE_DIGITS = 7;
const RUN_OF_DIGITS = /\d+(?:[-._/]\d+)*/g;
const YEAR = /^(?:19|20)\d\d[-._/](?:(?:0[1-9]|1[0-2])[-._/])?/;

/**
 * A code that an accounting company may read (spec: Events, financial journal).
 *
 * It matches the form, and no run of digits in it could be a phone number. Separators do not end a run. A leading year, or year
 * and month, and leading zeros do not count.
 */
export const journalCode = (form: RegExp, meaning: string) =>
  text(CODE_LENGTH)
    .regex(form, `is not ${meaning}`)
    .refine(
      (value) =>
        Array.from(value.matchAll(RUN_OF_DIGITS)).every(
          ([run]) => run.replace(YEAR, '').replaceAll(/\D/g, '').replace(/^0+/, '').length < PHONE_DIGITS,
        ),
      `has a run of ${PHONE_DIGITS} digits or more, as a phone number has`,
    );

const orNull = <Field extends z.ZodType>(field: Field) =>
  field.optional().transform((value): z.output<Field> | null => value ?? null);

export const optionalText = (length: number) => orNull(text(length));

export const list = <Item extends z.ZodType>(item: Item) =>
  z.array(item).max(LIST_LENGTH, `holds more than ${LIST_LENGTH}`);

export const count = z.int({ error: 'is missing' }).min(0, 'is negative');

export const version = z.int({ error: 'is missing' }).min(1, 'is less than 1');

export const flag = z.boolean({ error: 'is missing' });

export const id = (prefix: IdPrefix) =>
  text(TEXT_LENGTH).refine((value) => isId(prefix, value), `is not an id with the prefix ${prefix}_`);

export const optionalId = (prefix: IdPrefix) => orNull(id(prefix));

/** A required instant. One outside the accepted years is an error of the sender's clock or units. */
export const instant = z
  .custom<Timestamp>((value) => isMessage(value, TimestampSchema), 'is missing')
  .transform(timestampDate)
  .refine(
    (date) => date.getUTCFullYear() >= FIRST_YEAR && date.getUTCFullYear() <= LAST_YEAR,
    `is not an instant in the years ${FIRST_YEAR} to ${LAST_YEAR}`,
  );

export const optionalInstant = orNull(instant);

/** A value of a protobuf enum, as one of these public names. A value without a name, also an unknown one, is a violation. */
export const nameOf = <Name extends string>(descriptor: DescEnum, names: readonly Name[]) =>
  z.number({ error: 'is missing' }).transform((value, context) => {
    const name = enumName(descriptor, names, value);
    if (name !== undefined) return name;
    context.addIssue({ code: 'custom', message: 'has an unknown value' });
    return z.NEVER;
  });

/** An amount in the currency's minor unit, within the exact range of JSON numbers. */
export const anyMoney = z.object(
  {
    amountMinor: z
      .union([z.string(), z.bigint()], { error: 'is missing' })
      .transform(BigInt)
      .refine((amount) => amount >= -AMOUNT_LIMIT && amount <= AMOUNT_LIMIT, 'is beyond 9e15')
      .transform(Number),
    currency: z.string({ error: 'is missing' }).regex(/^[A-Z]{3}$/, 'is not an ISO 4217 code'),
  },
  'is missing',
);

export const money = anyMoney.refine(({ amountMinor }) => amountMinor >= 0, {
  path: ['amountMinor'],
  message: 'is negative',
});
