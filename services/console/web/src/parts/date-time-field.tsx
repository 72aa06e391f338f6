import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { fromLocalInput, toLocalInput } from '../local-time.js';

/** A field for a time in the reader's time zone. `onPick` receives it as ISO text, or undefined when the field is cleared. */
export function DateTimeField(
  props: {
    readonly label: string;
    readonly value: string | undefined;
    readonly onPick: (value: string | undefined) => void;
  } & Pick<TextInputProps, 'description' | 'error' | 'required' | 'w'>,
) {
  const { value, onPick, ...input } = props;
  const shown = toLocalInput(value);
  // The current input overrides the value until a new value is set.
  const [entered, setEntered] = useState({ over: shown, text: shown });
  const text = entered.over === shown ? entered.text : shown;
  const commit = () => {
    if (text !== shown) onPick(fromLocalInput(text));
  };
  return (
    <TextInput
      {...input}
      type="datetime-local"
      step={1}
      max="9999-12-31T23:59:59"
      value={text}
      onChange={(event) => setEntered({ over: shown, text: event.currentTarget.value })}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}
