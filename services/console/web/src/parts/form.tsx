import {
  type ChangeEvent,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import { sentenceOf, subjectOf } from '@partner/console/shared/error-sentences';
import { ApiError, messageOf, violationsByField } from '../api/api-client.js';
import { ChangeButton, ErrorDetails, Notice, OwnerContext, useOwner } from './page.js';
import { useEventCatalogue } from '../api/hooks.js';
import { hasSessionEnded } from '../api/session.js';
import { UNSAVED, useLeaveQuestion } from '../unsaved.js';
import { NativeSelect, type NativeSelectProps, TextInput, type TextInputProps } from './fields.js';
import classes from './form.module.css';
import { Modal } from './overlays.js';
import { Button, type ButtonProps } from './ui.js';
import { groupEvents } from '../webhook-facts.js';
import { fromLocalInput, toLocalInput } from '../format.js';

/** The state of an action that a form starts. */
export interface FormAction {
  readonly isRunning: boolean;
  readonly error: unknown;
}

/** A form that starts an action: its fields, why the action failed, and the buttons. With `onCancel` one of them cancels. */
export function Form(props: {
  readonly action: FormAction;
  readonly submitLabel: string;
  /** For the button that submits. */
  readonly button?: ButtonProps;
  readonly cancelLabel?: string | undefined;
  /** Whether a dialog begins with the focus on the button that cancels. */
  readonly isRisky?: boolean;
  /** Whether a field shows why the action failed. */
  readonly isExplained?: boolean;
  /** Buttons of other actions. */
  readonly others?: ReactNode;
  /** Whether the buttons stay at the bottom of the screen. */
  readonly isLong?: boolean;
  readonly onSubmit: () => void;
  readonly onCancel?: (() => void) | undefined;
  readonly children: ReactNode;
}) {
  const { action, button, cancelLabel = 'Cancel', isExplained = false, others, onCancel } = props;
  return (
    <form
      className={`stack ${classes['form']}`}
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      {props.children}
      {!isExplained && <FormFailure error={action.error} />}
      <div className="row" data-sticks={props.isLong}>
        {others}
        {onCancel !== undefined && (
          <Button variant="default" onClick={onCancel} {...(props.isRisky && { 'data-autofocus': true })}>
            {cancelLabel}
          </Button>
        )}
        <ChangeButton type="submit" loading={action.isRunning} {...button}>
          {props.submitLabel}
        </ChangeButton>
      </div>
    </form>
  );
}

/** Fields that are never stored. The value is that of a custom header. */
const IS_SECRET = /password|secret|code|^value$/i;

/**
 * The texts of a form's fields, and for each field its props. The violations are those of the failed action.
 *
 * Leaving the page asks while they differ from the initial ones. After the end of the session they are put back for the same owner,
 * except secrets. Call `clear` once they are saved, unless the form then closes.
 */
export function useFields<Values extends Readonly<Record<string, string>>>(initial: Values, error: unknown) {
  const owner = useContext(OwnerContext)?.owner.membershipId;
  const queries = useQueryClient();
  const key = `draft of ${owner ?? ''} at ${useLocation().pathname}: ${Object.keys(initial).join()}`;
  const [values, setValues] = useState<Values>(() => ({
    ...initial,
    ...textsIn(JSON.parse(window.sessionStorage.getItem(key) ?? '{}')),
  }));
  const isChanged = owner !== undefined && JSON.stringify(values) !== JSON.stringify(initial);
  const release = useLeaveQuestion(isChanged ? UNSAVED : undefined);
  const kept = JSON.stringify(values, (name, value: unknown) => (IS_SECRET.test(name) ? undefined : value));
  useEffect(() => {
    if (isChanged) window.sessionStorage.setItem(key, kept);
    else window.sessionStorage.removeItem(key);
  }, [isChanged, key, kept]);
  useEffect(
    () => () => {
      if (!hasSessionEnded(queries)) window.sessionStorage.removeItem(key);
    },
    [key, queries],
  );
  const violations = violationsByField(error);
  const set = (changed: Partial<Values>) => setValues({ ...values, ...changed });
  const field = (name: keyof Values & string) => ({
    value: values[name],
    error: violations[name] && sentenceOf(violations[name], subjectOf(name)),
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      setValues({ ...values, [name]: currentTarget.value }),
  });
  const clear = () => {
    release();
    setValues(initial);
  };
  return { values, violations, field, set, clear };
}

/** The texts of an object, by their names. */
function textsIn(stored: unknown): Readonly<Record<string, string>> {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(stored ?? {});
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** Why an action failed; nothing if the owner cancelled the password dialog. The page scrolls to it. */
export function FormFailure({ error }: { readonly error: unknown }) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Newer browsers return a promise, which is no clean-up function of the effect.
    shown.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  if (error === null || (error instanceof ApiError && error.code === 'confirmation_required')) return null;
  return (
    <div ref={shown}>
      <Notice tone="bad" title={messageOf(error)} isAlert>
        <ErrorDetails error={error} />
      </Notice>
    </div>
  );
}

/** A button that starts an action, with why it failed above it. */
export function StartButton({ action, ...button }: ButtonProps & { readonly action: FormAction }) {
  return (
    <>
      <FormFailure error={action.error} />
      <div>
        <ChangeButton loading={action.isRunning} {...button} />
      </div>
    </>
  );
}

/** Asks for a code of the second factor. */
export function CodeForm({
  description = 'The 6 digits from your authenticator app, or a recovery code',
  onSubmit,
  ...form
}: Pick<Parameters<typeof Form>[0], 'action' | 'submitLabel' | 'button' | 'cancelLabel' | 'onCancel'> & {
  readonly description?: string;
  readonly onSubmit: (code: string) => void;
}) {
  const [code, setCode] = useState('');
  return (
    <Form {...form} onSubmit={() => onSubmit(code)}>
      <TextInput
        label="Code"
        description={description}
        value={code}
        onChange={({ currentTarget }) => setCode(currentTarget.value)}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        minLength={6}
        maxLength={40}
        required
        data-autofocus
        autoFocus
      />
    </Form>
  );
}

const NO_ACTION: FormAction = { isRunning: false, error: null };

interface Question {
  readonly title: string;
  /** Consequences of the action. */
  readonly children: ReactNode;
  /** Label of the action, e.g. `Delete webhook`. */
  readonly confirmLabel: string;
  /** Label of the other choice. */
  readonly cancelLabel?: string;
  readonly isDangerous?: boolean;
  /** True while required input is missing. */
  readonly isBlocked?: boolean;
}

/** Asks for confirmation of an action that is hard to undo. The default choice is to cancel. */
export function ConfirmDialog(
  props: Question & {
    readonly isOpen: boolean;
    readonly action?: FormAction;
    readonly onConfirm: () => void;
    readonly onClose: () => void;
  },
) {
  const { confirmLabel, action = NO_ACTION, isDangerous, isBlocked, onClose, children } = props;
  return (
    <Modal opened={props.isOpen} onClose={onClose} title={props.title}>
      <Form
        action={action}
        submitLabel={confirmLabel}
        button={{ disabled: isBlocked === true, tone: isDangerous === true ? 'bad' : undefined }}
        cancelLabel={props.cancelLabel}
        isRisky
        onSubmit={props.onConfirm}
        onCancel={onClose}
      >
        <div className="stack">{children}</div>
      </Form>
    </Modal>
  );
}

/** A button whose action starts after a confirmation. */
export function ConfirmedButton<Given>(
  props: Question & {
    readonly label: string;
    readonly button?: ButtonProps;
    readonly action: FormAction & {
      run: (given: Given, after: { readonly onSuccess: () => void }) => void;
    };
    readonly given: Given;
    readonly onOpen?: () => void;
  },
) {
  const { label, button, action, given, onOpen, ...question } = props;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <ChangeButton
        variant="default"
        tone={question.isDangerous === true ? 'bad' : undefined}
        {...button}
        onClick={() => {
          onOpen?.();
          setOpen(true);
        }}
      >
        {label}
      </ChangeButton>
      <ConfirmDialog
        {...question}
        isOpen={isOpen}
        action={action}
        onConfirm={() => action.run(given, { onSuccess: close })}
        onClose={close}
      />
    </>
  );
}

/** A choice that can be removed again. */
interface Picked {
  readonly value: string | undefined;
  readonly onPick: (value: string | undefined) => void;
}

/** Props of a field whose text is applied when it loses the focus or with Enter. It overrides the value until a new value is set. */
export function useTyped(value: string, apply: (text: string) => void) {
  const [entered, setEntered] = useState({ over: value, text: value });
  const text = entered.over === value ? entered.text : value;
  const onBlur = () => {
    if (text !== value) apply(text);
  };
  return {
    value: text,
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) =>
      setEntered({ over: value, text: currentTarget.value }),
    onBlur,
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === 'Enter') onBlur();
    },
  };
}

/** A field for a time in the reader's time zone. `onPick` receives it as ISO text, or undefined when the field is cleared. */
export function DateTimeField({
  value,
  onPick,
  ...input
}: Picked & { readonly label: string } & Pick<TextInputProps, 'error'>) {
  const typed = useTyped(toLocalInput(value), (text) => onPick(fromLocalInput(text)));
  return <TextInput {...input} {...typed} type="datetime-local" step={1} max="9999-12-31T23:59:59" />;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

/** Selects one of the options, or all of them by the option `all`. A value that is no option is one too. */
export function PickSelect({
  all,
  options,
  value,
  onPick,
  ...select
}: Picked & {
  readonly label: string;
  readonly all: string;
  readonly options: readonly (Option | { readonly group: string; readonly items: readonly Option[] })[];
} & Pick<NativeSelectProps, 'error' | 'style'>) {
  const known = options.flatMap((option) => ('items' in option ? option.items : option));
  const isUnknown = value !== undefined && known.every((option) => option.value !== value);
  return (
    <NativeSelect
      {...select}
      value={value ?? ''}
      onChange={({ currentTarget }) => onPick(currentTarget.value === '' ? undefined : currentTarget.value)}
      data={[{ value: '', label: all }, ...(isUnknown ? [{ value, label: value }] : []), ...options]}
    />
  );
}

/** The events that the company's class allows, by their groups, each after the group as a whole. */
export function useEventOptions(hasTests = true) {
  const { company } = useOwner();
  const events = (useEventCatalogue().data?.events ?? []).filter(
    ({ name, classes }) => classes.includes(company.class) && (hasTests || name !== 'install.test'),
  );
  return groupEvents(events).map((each) => ({
    group: each.group,
    items: [
      { value: `${each.group}.*`, label: `All of ${each.group}` },
      ...each.events.map(({ name }) => ({ value: name, label: name })),
    ],
  }));
}
