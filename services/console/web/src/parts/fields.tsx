import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { type ComponentPropsWithoutRef, type CSSProperties, type ReactNode, useId, useState } from 'react';
import { ActionIcon } from './ui.js';
import classes from './ui.module.css';

/** What stands around a field. */
interface Around {
  readonly label?: ReactNode;
  readonly description?: ReactNode;
  /** Why what was entered is refused. */
  readonly error?: ReactNode;
  /** Of the field with its label. */
  readonly style?: CSSProperties | undefined;
}

type Of<Tag extends 'input' | 'select'> = Around & Omit<ComponentPropsWithoutRef<Tag>, 'style'>;

/** A field with its label, its description, and why what was entered is refused. They are tied to it by their ids. */
function Field({
  label,
  description,
  error,
  style,
  children,
}: Around & { readonly children: (ties: Pick<ComponentPropsWithoutRef<'input'>, 'id'>) => ReactNode }) {
  const id = useId();
  const ids = [error && `${id}-error`, description && `${id}-description`].filter(Boolean);
  return (
    <div className={classes['field']} style={style}>
      {label && <label htmlFor={id}>{label}</label>}
      {description && <small id={`${id}-description`}>{description}</small>}
      <div className={classes['input']}>
        {children({
          id,
          ...(error && { 'aria-invalid': true }),
          ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
        })}
      </div>
      {error && (
        <small id={`${id}-error`} className={classes['error']}>
          {error}
        </small>
      )}
    </div>
  );
}

export type TextInputProps = Of<'input'> & { readonly leftSection?: ReactNode };

/** A field for a line of text. What follows the field is within its frame. */
export function TextInput({
  label,
  description,
  error,
  leftSection,
  style,
  children,
  ...input
}: TextInputProps) {
  return (
    <Field {...{ label, description, error, style }}>
      {(ties) => (
        <>
          {leftSection}
          <input {...ties} {...input} />
          {children}
        </>
      )}
    </Field>
  );
}

/** A field for a secret, with a button that shows it. */
export function PasswordInput({ label, ...input }: TextInputProps) {
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? IconEyeOff : IconEye;
  return (
    <TextInput label={label} {...input} type={isShown ? 'text' : 'password'}>
      <ActionIcon
        aria-label={`Show the ${typeof label === 'string' ? label.toLowerCase() : 'value'}`}
        aria-pressed={isShown}
        onClick={() => setShown(!isShown)}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </TextInput>
  );
}

/** A field for a whole number from 1 on, or nothing. */
export function NumberInput({
  value,
  max,
  onChange,
  ...input
}: Omit<TextInputProps, 'value' | 'onChange' | 'max'> & {
  readonly value: number | null;
  readonly max: number;
  readonly onChange: (value: number | null) => void;
}) {
  return (
    <TextInput
      {...input}
      inputMode="numeric"
      autoComplete="off"
      value={value ?? ''}
      onChange={({ currentTarget }) => {
        const digits = currentTarget.value.replaceAll(/\D/g, '');
        const entered = digits === '' ? null : Math.min(Number(digits), max);
        currentTarget.value = String(entered ?? '');
        onChange(entered);
      }}
    />
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

export type NativeSelectProps = Of<'select'> & {
  readonly data: readonly (Option | { readonly group: string; readonly items: readonly Option[] })[];
};

const optionOf = ({ value, label, disabled }: Option) => (
  <option key={value} value={value} disabled={disabled}>
    {label}
  </option>
);

/** Selects one of its options, which may be in groups. */
export function NativeSelect({ label, description, error, style, data, ...select }: NativeSelectProps) {
  return (
    <Field {...{ label, description, error, style }}>
      {(ties) => (
        <select {...ties} {...select}>
          {data.map((option) =>
            'group' in option ? (
              <optgroup key={option.group} label={option.group}>
                {option.items.map(optionOf)}
              </optgroup>
            ) : (
              optionOf(option)
            ),
          )}
        </select>
      )}
    </Field>
  );
}

/** A box to check. */
export function Checkbox({
  label,
  description,
  indeterminate = false,
  ...input
}: ComponentPropsWithoutRef<'input'> & {
  readonly label: ReactNode;
  readonly description?: string | undefined;
  /** Whether it stands for several, of which some are chosen. */
  readonly indeterminate?: boolean;
}) {
  const id = useId();
  return (
    <div className={classes['choice']}>
      <input
        ref={(element) => {
          if (element !== null) element.indeterminate = indeterminate;
        }}
        type="checkbox"
        id={id}
        aria-describedby={description && `${id}-description`}
        {...input}
      />
      <label htmlFor={id}>{label}</label>
      {description && <small id={`${id}-description`}>{description}</small>}
    </div>
  );
}

/** Choices with a common label. `onToggle` receives the one that was clicked. */
export function Choices<Value extends string>(props: {
  readonly label: string;
  readonly description?: string;
  /** `checkbox`: several can be chosen. */
  readonly type?: 'radio' | 'checkbox';
  readonly values: readonly Value[];
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    readonly description?: string;
  }[];
  readonly onToggle: (value: Value) => void;
}) {
  const { label, description, type = 'radio', values, options, onToggle } = props;
  const name = useId();
  return (
    <fieldset className={classes['choices']}>
      <legend>{label}</legend>
      {description && <small>{description}</small>}
      {options.map(({ value, ...option }) => (
        <Checkbox
          key={value}
          {...{ type, name, ...option }}
          checked={values.includes(value)}
          onChange={() => onToggle(value)}
        />
      ))}
    </fieldset>
  );
}
