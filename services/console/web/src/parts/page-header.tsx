import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router';

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
