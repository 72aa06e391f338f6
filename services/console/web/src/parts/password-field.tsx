import { PasswordInput } from '@mantine/core';

/** A field for a password. `violation` is shown below it. */
export function PasswordField({
  label,
  value,
  onChange,
  autoComplete,
  description,
  violation,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly autoComplete: 'current-password' | 'new-password';
  readonly description?: string;
  readonly violation?: string | undefined;
}) {
  return (
    <PasswordInput
      label={label}
      description={description}
      error={violation}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      autoComplete={autoComplete}
      required
      withAsterisk={false}
      visibilityToggleButtonProps={{ 'aria-label': `Show ${label.toLowerCase()}` }}
    />
  );
}
