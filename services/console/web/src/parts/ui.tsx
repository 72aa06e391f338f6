import type { ComponentPropsWithoutRef, CSSProperties, HTMLAttributes, ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './ui.module.css';

const SPACES: Readonly<Record<string, string>> = {
  xs: 'var(--s-8)',
  sm: 'var(--s-12)',
  md: 'var(--s-16)',
  lg: 'var(--s-24)',
  xl: 'var(--s-32)',
};

/** A distance: of the tokens by its name, in pixels, or as CSS. */
type Length = string | number;

/** What a part sets of its own layout. */
export interface Layout {
  /** The color, as CSS or `dimmed`. */
  readonly c?: string;
  readonly fw?: number;
  readonly mt?: Length;
  readonly mb?: Length;
  readonly maw?: Length;
  readonly gap?: Length;
  readonly justify?: string;
  readonly align?: string;
  readonly wrap?: 'nowrap';
}

function lengthOf(value: Length | undefined): string | undefined {
  return typeof value === 'number' ? `${value}px` : value && (SPACES[value] ?? value);
}

/** Returns the style of a layout, and the other props. */
function styled<Props extends Layout & { readonly style?: CSSProperties | undefined }>(props: Props) {
  const { c, fw, mt, mb, maw, gap, justify, align, wrap, style, ...others } = props;
  const layout: CSSProperties = {
    color: c === 'dimmed' ? 'var(--text-2)' : c,
    fontWeight: fw,
    marginTop: lengthOf(mt),
    marginBottom: lengthOf(mb),
    maxWidth: lengthOf(maw),
    gap: lengthOf(gap),
    justifyContent: justify,
    alignItems: align,
    flexWrap: wrap,
    ...style,
  };
  return { style: layout, ...others };
}

interface BlockProps extends Layout, HTMLAttributes<HTMLElement> {
  readonly component?: 'caption' | 'div' | 'legend' | 'p' | 'span';
  /** Of a text. */
  readonly size?: 'xs' | 'sm';
}

const block = (tag: NonNullable<BlockProps['component']>, name: string) =>
  function Block({ component: Tag = tag, className = '', size, ...props }: BlockProps) {
    return <Tag className={`${classes[name]} ${className}`} data-size={size} {...styled(props)} />;
  };

/** Its children below each other. */
export const Stack = block('div', 'stack');

/** Its children beside each other, in several lines if need be. */
export const Group = block('div', 'group');

/** A paragraph, or part of one. */
export const Text = block('p', 'text');

/** A text for screen readers only. */
export const VisuallyHidden = block('span', 'hidden');

export type TextProps = BlockProps;

/** The look of a button. */
export interface ButtonProps {
  readonly variant?: 'filled' | 'default' | 'subtle' | undefined;
  readonly size?: 'xs' | 'sm' | undefined;
  /** `bad`: it begins something that is hard to undo. */
  readonly tone?: 'bad' | undefined;
  readonly leftSection?: ReactNode;
  readonly rightSection?: ReactNode;
  /** Whether its action is in flight. */
  readonly loading?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly style?: CSSProperties;
}

type PressProps = ButtonProps & ComponentPropsWithoutRef<'button'>;

function buttonLook<Props extends ButtonProps & { readonly children?: ReactNode }>(props: Props) {
  const { variant = 'filled', size, tone, leftSection, rightSection, loading, children, ...others } = props;
  return {
    className: classes['button'],
    'data-variant': variant,
    'data-size': size,
    'data-tone': tone,
    'data-loading': loading,
    ...others,
    children: (
      <>
        {leftSection}
        {children}
        {rightSection}
      </>
    ),
  };
}

/** A button with a text. While its action is in flight it cannot be pressed. */
export function Button(props: PressProps) {
  return (
    <button
      type="button"
      {...buttonLook(props)}
      disabled={props.loading === true || props.disabled === true}
    />
  );
}

/** A link that looks like a button. */
export function ButtonLink(link: ButtonProps & { readonly to: string; readonly children: ReactNode }) {
  const { disabled: _disabled, to, ...look } = link;
  return <Link to={to} {...buttonLook(look)} />;
}

/** A button or a link that is only an icon, with its name. */
export function ActionIcon({
  to,
  variant = 'subtle',
  ...button
}: PressProps & { readonly to?: string; readonly 'aria-label': string }) {
  const look = { className: classes['icon'], 'data-variant': variant };
  if (to === undefined) return <button type="button" {...look} {...button} />;
  return (
    <Link to={to} {...look} aria-label={button['aria-label']}>
      {button.children}
    </Link>
  );
}

/** How far something is, in percent. */
export function Progress(props: { readonly value: number; readonly 'aria-label': string }) {
  return <progress className={classes['progress']} max={100} {...props} />;
}
