import { IconEye, IconEyeOff } from '@tabler/icons-react';
import {
  type ComponentPropsWithoutRef,
  createContext,
  type CSSProperties,
  type ReactNode,
  useContext,
  useId,
  useState,
} from 'react';
import { ActionIcon } from './ui.js';
import classes from './ui.module.css';

/** What stands around a field. */
interface Around {
  readonly label?: ReactNode;
  readonly description?: ReactNode;
  /** Why what was entered is refused. */
  readonly error?: ReactNode;
  readonly leftSection?: ReactNode;
  /** Of the field with its label. */
  readonly style?: CSSProperties;
}

type Of<Tag extends 'input' | 'select'> = Around & Omit<ComponentPropsWithoutRef<Tag>, 'style'>;

const isGiven = (part: ReactNode) => part !== undefined && part !== null && part !== false && part !== '';

/** Returns the ids of a field, which tie its label, description and error to it. */
function useTies({ description, error }: Around) {
  const id = useId();
  const ids = [isGiven(error) && `${id}-error`, isGiven(description) && `${id}-description`].filter(Boolean);
  return {
    id,
    'aria-invalid': isGiven(error) || undefined,
    'aria-describedby': ids.length === 0 ? undefined : ids.join(' '),
  };
}

function Explained({
  id,
  description,
  error,
  children,
}: Around & { readonly id: string; readonly children: ReactNode }) {
  return (
    <>
      {isGiven(description) && <small id={`${id}-description`}>{description}</small>}
      {children}
      {isGiven(error) && (
        <small id={`${id}-error`} className={classes['error']}>
          {error}
        </small>
      )}
    </>
  );
}

function Field({ id, label, leftSection, style, children, ...around }: Parameters<typeof Explained>[0]) {
  return (
    <div className={classes['field']} style={style}>
      {isGiven(label) && <label htmlFor={id}>{label}</label>}
      <Explained id={id} {...around}>
        <div className={classes['input']}>
          {leftSection}
          {children}
        </div>
      </Explained>
    </div>
  );
}

export type TextInputProps = Of<'input'>;

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
  const around = { label, description, error, leftSection };
  const ties = useTies(around);
  return (
    <Field id={ties.id} {...around} {...(style && { style })}>
      <input {...ties} {...input} />
      {children}
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
      value={value === null || Number.isNaN(value) ? '' : String(value)}
      onChange={({ currentTarget }) => {
        const digits = currentTarget.value.replaceAll(/\D/g, '');
        const entered = digits === '' ? null : Math.min(Number(digits), max);
        currentTarget.value = entered === null ? '' : String(entered);
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
  readonly data: readonly (
    string | Option | { readonly group: string; readonly items: readonly (string | Option)[] }
  )[];
};

const optionOf = (option: string | Option) => {
  const { value, label, ...others } = typeof option === 'string' ? { value: option, label: option } : option;
  return (
    <option key={value} value={value} {...others}>
      {label}
    </option>
  );
};

/** Selects one of its options, which may be in groups. */
export function NativeSelect({ label, description, error, style, data, ...select }: NativeSelectProps) {
  const around = { label, description, error };
  const ties = useTies(around);
  return (
    <Field id={ties.id} {...around} {...(style && { style })}>
      <select {...ties} {...select}>
        {data.map((option) =>
          typeof option === 'object' && 'group' in option ? (
            <optgroup key={option.group} label={option.group}>
              {option.items.map(optionOf)}
            </optgroup>
          ) : (
            optionOf(option)
          ),
        )}
      </select>
    </Field>
  );
}

/** The values of the group that a choice belongs to. */
interface Group {
  readonly name: string;
  readonly values: readonly string[];
  readonly toggle: (value: string) => void;
}

const GroupContext = createContext<Group | null>(null);

type ChoiceProps = Around &
  Omit<ComponentPropsWithoutRef<'input'>, 'style'> & {
    /** Whether it stands for several, of which some are chosen. */
    readonly indeterminate?: boolean;
  };

function Choice({ label, description, indeterminate = false, ...input }: ChoiceProps) {
  const ties = useTies({ description });
  const group = useContext(GroupContext);
  const { value } = input;
  const ofGroup = group !== null &&
    typeof value === 'string' && {
      name: group.name,
      checked: group.values.includes(value),
      onChange: () => group.toggle(value),
    };
  return (
    <div className={classes['choice']}>
      <input
        ref={(element) => {
          if (element !== null) element.indeterminate = indeterminate;
        }}
        {...ties}
        {...input}
        {...ofGroup}
      />
      <label htmlFor={ties.id}>{label}</label>
      <Explained id={ties.id} description={description}>
        {null}
      </Explained>
    </div>
  );
}

/** One of the choices of a `Choices`. */
export const Radio = (choice: ChoiceProps) => <Choice {...choice} type="radio" />;

/** A choice that stands alone or in a `Choices`. */
export const Checkbox = (choice: ChoiceProps) => <Choice {...choice} type="checkbox" />;

/** Choices with a common label. `onToggle` receives the value of the choice that was clicked. */
export function Choices(
  props: Around & {
    readonly values: readonly string[];
    readonly onToggle: (value: string) => void;
    readonly children: ReactNode;
  },
) {
  const { label, values, onToggle, children, ...around } = props;
  const { id, ...ties } = useTies(around);
  return (
    <GroupContext value={{ name: id, values, toggle: onToggle }}>
      <fieldset className={classes['choices']} aria-describedby={ties['aria-describedby']}>
        <legend>{label}</legend>
        <Explained id={id} {...around}>
          {children}
        </Explained>
      </fieldset>
    </GroupContext>
  );
}

/** A choice between a few views of the same, beside each other. */
export function Switch<Value extends string>(props: {
  readonly label: string;
  readonly value: Value;
  readonly options: Readonly<Record<Value, string>>;
  readonly onPick: (value: Value) => void;
}) {
  const name = useId();
  const values = Object.keys(props.options).filter((each): each is Value => each in props.options);
  return (
    <div className={classes['switch']} role="radiogroup" aria-label={props.label}>
      {values.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            checked={each === props.value}
            onChange={() => props.onPick(each)}
          />
          {props.options[each]}
        </label>
      ))}
    </div>
  );
}
