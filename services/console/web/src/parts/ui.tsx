import type { ComponentPropsWithoutRef, ReactNode } from 'react';
import classes from './ui.module.css';

/** The look of a button, or of a link that looks like one. */
export interface ButtonLook {
  readonly variant?: 'filled' | 'default' | 'subtle' | undefined;
  readonly size?: 'xs' | 'icon' | undefined;
  /** `bad`: it begins something that is hard to undo. */
  readonly tone?: 'bad' | undefined;
  readonly leftSection?: ReactNode;
}

export type ButtonProps = ButtonLook &
  ComponentPropsWithoutRef<'button'> & {
    /** Whether its action is in flight. */
    readonly loading?: boolean | undefined;
  };

/** Returns the props of an element that looks like a button. */
export function buttonLook<Props extends ButtonLook & { readonly children?: ReactNode }>(props: Props) {
  const { variant = 'filled', size, tone, leftSection, children, ...others } = props;
  return {
    className: classes['button'] ?? '',
    'data-variant': variant,
    'data-size': size,
    'data-tone': tone,
    ...others,
    children: (
      <>
        {leftSection}
        {children}
      </>
    ),
  };
}

/** A button with a text. While its action is in flight it cannot be pressed. */
export function Button({ loading = false, ...button }: ButtonProps) {
  const isDisabled = loading || button.disabled === true;
  return <button type="button" data-loading={loading} {...buttonLook(button)} disabled={isDisabled} />;
}

/** A button that is only an icon, with its name. */
export const ActionIcon = (icon: ButtonProps & { readonly 'aria-label': string }) => (
  <Button variant="subtle" size="icon" {...icon} />
);
