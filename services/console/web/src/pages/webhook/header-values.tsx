import { Code, PasswordInput, Stack, Text } from '@mantine/core';
import {
  CUSTOM_HEADER_LIMITS,
  isSameHost,
} from '@partner/proto-contracts/resources/subscription/custom-headers';
import { Notice } from '../../parts/page.js';

/** Values of custom headers by name, as they are entered for another host. */
export type HeaderValues = Readonly<Record<string, string>>;

/** Whether a URL that is being entered has another host than the current one. */
export function hasOtherHost(current: string, entered: string): boolean {
  return URL.canParse(entered) && !isSameHost(current, entered);
}

/** The first violation of the headers of a request. */
export function headersViolation(violations: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(violations).find(([path]) => path.startsWith('headers'))?.[1];
}

/** Asks for the values of custom headers for another URL: its test never gets the stored ones, and neither does another host. */
export function HeaderValuesForUrl(props: {
  readonly names: readonly string[];
  readonly values: HeaderValues;
  readonly onChange: (values: HeaderValues) => void;
  readonly isOtherHost: boolean;
  readonly violation: string | undefined;
}) {
  const { names, values, onChange, isOtherHost, violation } = props;
  return (
    <Stack gap="sm">
      {isOtherHost ? (
        <Notice tone="warn" title="This URL has another host">
          Stored values of custom headers are not sent to it. Enter them for this host. A header without a
          value is removed.
        </Notice>
      ) : (
        <Text size="sm">
          The test has only the custom headers that you enter here. Without a value, the stored one stays.
        </Text>
      )}
      {names.map((name) => (
        <PasswordInput
          key={name}
          label={
            <>
              Value of <Code>{name}</Code> (optional)
            </>
          }
          value={values[name] ?? ''}
          onChange={({ currentTarget }) => onChange({ ...values, [name]: currentTarget.value })}
          maxLength={CUSTOM_HEADER_LIMITS.valueLength}
          autoComplete="off"
          maw="26rem"
        />
      ))}
      {violation !== undefined && (
        <Text size="sm" c="red">
          {violation}
        </Text>
      )}
    </Stack>
  );
}
