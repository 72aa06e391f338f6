import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';

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
