import { Anchor, type AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** A link to another page of the console. */
export function TextLink({
  to,
  children,
  ...anchor
}: { readonly to: string; readonly children: ReactNode } & AnchorProps) {
  return (
    <Anchor component={Link} to={to} {...anchor}>
      {children}
    </Anchor>
  );
}
