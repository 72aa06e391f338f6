import {
  ActionIcon,
  Anchor,
  type AnchorProps,
  Box,
  type BoxProps,
  Button,
  Container,
  Group,
  Skeleton,
  Stack,
  Text,
  Title,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import {
  IconAlertTriangle,
  IconArrowLeft,
  IconCircleCheck,
  IconCircleX,
  IconInfoCircle,
  IconMoon,
  IconPointFilled,
  IconSun,
} from '@tabler/icons-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import classes from './page.module.css';
import type { Tone } from '../palette.js';
import icon from '../icon.svg';

/**
 * Header of a page. Its `h1` also sets the window's title and receives the focus after a navigation, so that screen readers announce
 * the page. Every page begins with it, also while it loads.
 */
export function PageHeader(props: {
  readonly title: string;
  readonly description?: ReactNode;
  /** Beside the title, e.g. buttons and badges. */
  readonly actions?: ReactNode;
  readonly back?: { readonly to: string; readonly label: string };
}) {
  const { title, description, actions, back } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname, key } = useLocation();
  const isFirstPage = useRef(key === 'default');

  useEffect(() => {
    document.title = `${title} · Partner console`;
  }, [title]);

  useEffect(() => {
    if (!isFirstPage.current) heading.current?.focus({ preventScroll: true });
    isFirstPage.current = false;
  }, [pathname]);

  return (
    <Stack component="header" gap={6} mb="lg">
      {back !== undefined && (
        <Anchor component={Link} to={back.to} size="sm">
          <Group component="span" gap={4} display="inline-flex">
            <IconArrowLeft size={16} aria-hidden />
            {back.label}
          </Group>
        </Anchor>
      )}
      <Group justify="space-between" align="flex-start" gap="sm">
        <Title order={1} ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {description !== undefined && (
        <Text c="dimmed" maw="46rem">
          {description}
        </Text>
      )}
    </Stack>
  );
}

/** A section of a page with its own background. With a title it is a region that screen readers list. */
export function Panel(
  props: {
    readonly title?: string;
    readonly actions?: ReactNode;
    readonly children: ReactNode;
  } & Pick<BoxProps, 'mt' | 'mb' | 'p'>,
) {
  const { title, actions, children, ...box } = props;
  const titleId = useId();
  return (
    <Box
      component="section"
      className={classes['panel']}
      {...(title === undefined ? {} : { 'aria-labelledby': titleId })}
      {...box}
    >
      {title !== undefined && (
        <Group justify="space-between" mb="sm" gap="xs">
          <Title order={2} id={titleId}>
            {title}
          </Title>
          {actions}
        </Group>
      )}
      {children}
    </Box>
  );
}

const ICONS = {
  good: IconCircleCheck,
  warn: IconAlertTriangle,
  bad: IconCircleX,
  info: IconInfoCircle,
  quiet: IconPointFilled,
} as const satisfies Record<Tone, unknown>;

/** A message within a page. Set `isAlert` if it appears after an action of the reader. */
export function Notice(props: {
  readonly tone: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly isAlert?: boolean;
}) {
  const { tone, title, children } = props;
  const Icon = ICONS[tone];
  return (
    <Box
      className={classes['notice']}
      __vars={{
        '--notice-text': `var(--tone-${tone}-text)`,
        '--notice-background': `var(--tone-${tone}-background)`,
        '--notice-border': `var(--tone-${tone}-border)`,
      }}
      {...(props.isAlert === true ? { role: 'alert' } : {})}
    >
      <Icon size={20} className={classes['icon']} aria-hidden />
      <div className={classes['content']}>
        {title !== undefined && (
          <Text component="p" fw={600} m={0}>
            {title}
          </Text>
        )}
        {children !== undefined && (
          <Text component="div" size="sm">
            {children}
          </Text>
        )}
      </div>
    </Box>
  );
}

/** Placeholder of loading data. */
export function Loading({ label, rows = 3 }: { readonly label: string; readonly rows?: number }) {
  return (
    <Stack gap="sm" aria-busy="true">
      <VisuallyHidden role="status">{label}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={row === 0 ? 28 : 52} width={row === 0 ? '40%' : '100%'} aria-hidden />
      ))}
    </Stack>
  );
}

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

/** Layout of pages without a session. `size`: the widest content, in pixels. */
export function OutsidePage({
  children,
  size = 440,
}: {
  readonly children: ReactNode;
  readonly size?: number;
}) {
  return (
    <div className={classes['ground']}>
      <div className={classes['corner']}>
        <ColorSchemeSwitch />
      </div>
      <Container component="main" size={size} px="md">
        <img src={icon} width={44} height={44} alt="" className={classes['mark']} />
        {children}
      </Container>
    </div>
  );
}

/** Switches between light and dark. By default the page follows the device. */
export function ColorSchemeSwitch({ className }: { readonly className?: string | undefined }) {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const other = scheme === 'light' ? 'dark' : 'light';
  const Icon = scheme === 'light' ? IconMoon : IconSun;
  return (
    <ActionIcon
      variant="subtle"
      size="lg"
      className={className}
      aria-label={`Use ${other} colors`}
      title={`Use ${other} colors`}
      onClick={() => setColorScheme(other)}
    >
      <Icon size={20} aria-hidden />
    </ActionIcon>
  );
}

/** Shown if a page cannot be loaded, most often because its version is no longer served. */
export function FailedPage() {
  return (
    <Container component="section" size="sm" py="xl">
      <Stack align="flex-start">
        <Title order={1}>This page failed to load</Title>
        <Text>There may be a newer version of the console. Reload the page.</Text>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Stack>
    </Container>
  );
}
