import { createTheme, type CSSVariablesResolver } from '@mantine/core';
import { INK, PINE, RAIL, SURFACES, TONE_COLORS, TONES } from './palette.js';

/** Theme of the console. */
export const theme = createTheme({
  colors: { pine: [...PINE], dark: [...INK] },
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  luminanceThreshold: 0.2,
  black: SURFACES.light.text,
  defaultRadius: 'md',
  cursorType: 'pointer',
  // Links in text need more than colour to be recognisable.
  components: {
    Anchor: { defaultProps: { underline: 'always' } },
    InputWrapper: { defaultProps: { withAsterisk: false } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
    // Otherwise a dialog's header counts as a second page header.
    ModalHeader: { defaultProps: { role: 'none' } },
  },
  respectReducedMotion: true,
  fontFamily:
    '"Inter Variable", Inter, ui-sans-serif, system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1.1875rem', lineHeight: '1.35' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
});

/** Colours of the theme as CSS variables. They replace Mantine's low-contrast ones. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {
    ...Object.fromEntries(Object.entries(RAIL).map(([name, color]) => [`--rail-${name}`, color])),
  },
  light: {
    ...surfaceVariables('light'),
    '--mantine-color-pine-light': PINE[0],
    '--mantine-color-pine-light-hover': PINE[1],
    '--mantine-color-pine-light-color': PINE[8],
    '--mantine-color-pine-outline': PINE[7],
    '--chart-delivered': PINE[6],
    '--chart-failed': '#c8811a',
    '--chart-dead': '#b3352c',
  },
  dark: {
    ...surfaceVariables('dark'),
    '--mantine-color-pine-light': '#12372e',
    '--mantine-color-pine-light-hover': '#184539',
    '--mantine-color-pine-light-color': PINE[2],
    '--mantine-color-pine-outline': PINE[3],
    '--chart-delivered': PINE[4],
    '--chart-failed': '#e0a84a',
    '--chart-dead': '#f0776c',
  },
});

function surfaceVariables(scheme: 'light' | 'dark'): Record<string, string> {
  const { body, raised, text, dimmed, placeholder, error, anchor, border } = SURFACES[scheme];
  const tones = TONES.flatMap((tone) =>
    Object.entries(TONE_COLORS[scheme][tone]).map(
      ([part, color]) => [`--tone-${tone}-${part}`, color] as const,
    ),
  );
  return {
    '--mantine-color-body': body,
    '--mantine-color-default': raised,
    '--mantine-color-text': text,
    '--mantine-color-dimmed': dimmed,
    '--mantine-color-placeholder': placeholder,
    '--mantine-color-error': error,
    '--mantine-color-anchor': anchor,
    '--surface-raised': raised,
    '--surface-border': border,
    '--mantine-color-default-border': border,
    ...Object.fromEntries(tones),
  };
}
