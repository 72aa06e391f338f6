import { colorsTuple, createTheme, type CSSVariablesResolver } from '@mantine/core';

/** Greys of `tokens.css` where Mantine's components want ten: lines and text in the light scheme, text first in the dark one. */
const GRAYS = [
  'var(--hover)',
  'var(--pressed)',
  'var(--line)',
  'var(--line)',
  'var(--line-strong)',
  'var(--line-control)',
  'var(--text-3)',
  'var(--text-2)',
  'var(--text)',
  'var(--text)',
] as const;
const DARKS = [
  'var(--text)',
  'var(--text-2)',
  'var(--text-3)',
  'var(--line-control)',
  'var(--line-strong)',
  'var(--hover)',
  'var(--raised)',
  'var(--page)',
  'var(--rail)',
  'var(--rail)',
] as const;

/** Theme of the console: Mantine's behaviour in the clothes of `tokens.css`. */
export const theme = createTheme({
  colors: { accent: colorsTuple('#0f6a5c'), gray: GRAYS, dark: DARKS },
  primaryColor: 'accent',
  black: 'var(--text)',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: {
    xs: 'var(--size-12)',
    sm: 'var(--size-13)',
    md: 'var(--size-14)',
    lg: 'var(--size-16)',
    xl: 'var(--size-20)',
  },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '24px', xl: '28px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  radius: { xs: '4px', sm: '4px', md: 'var(--radius)', lg: 'var(--radius-panel)', xl: '999px' },
  shadows: {
    xs: 'none',
    sm: 'none',
    md: 'var(--shadow-menu)',
    lg: 'var(--shadow-menu)',
    xl: 'var(--shadow-dialog)',
  },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: 'var(--size-20)', lineHeight: '28px' },
      h2: { fontSize: 'var(--size-14)', lineHeight: '20px' },
      h3: { fontSize: 'var(--size-13)', lineHeight: '20px' },
    },
  },
  components: {
    Anchor: { defaultProps: { underline: 'hover' } },
    Button: {
      vars: (_theme: unknown, { size = 'sm' }: { readonly size?: string }) => ({
        root: {
          '--button-height': size === 'sm' || size === 'md' ? 'var(--control)' : '28px',
          '--button-padding-x': size === 'sm' || size === 'md' ? '12px' : '10px',
          '--button-fz': 'var(--size-13)',
        },
      }),
      styles: { root: { fontWeight: 500 } },
    },
    Input: {
      vars: () => ({
        wrapper: {
          '--input-height': 'max(36px, var(--control))',
          '--input-fz': 'var(--size-14)',
          '--input-bd': 'var(--line-control)',
          '--input-bg': 'var(--page)',
        },
      }),
    },
    InputWrapper: {
      defaultProps: { withAsterisk: false },
      styles: { label: { fontWeight: 500, marginBlockEnd: 4 } },
      vars: () => ({ label: { '--input-label-size': 'var(--size-13)' } }),
    },
    InputDescription: { vars: () => ({ description: { '--input-description-size': 'var(--size-13)' } }) },
    InputError: { vars: () => ({ error: { '--input-error-size': 'var(--size-13)' } }) },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Menu: {
      defaultProps: {
        shadow: 'md',
        radius: 'lg',
        transitionProps: { duration: 0 },
        // The focus goes to the first item instead of a place before it, which no menu may have.
        withInitialFocusPlaceholder: false,
      },
    },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'var(--radius-dialog)',
        padding: 'lg',
        overlayProps: { backgroundOpacity: 0.4 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
      styles: { title: { fontSize: 'var(--size-16)', fontWeight: 600 } },
    },
    // Otherwise a dialog's header counts as a second page header.
    ModalHeader: { defaultProps: { role: 'none' } },
  },
});

/** Colours of the tokens as Mantine's variables. Mantine's own values for a scheme would win over those for both. */
const COLORS = {
  '--mantine-color-body': 'var(--page)',
  '--mantine-color-default': 'var(--raised)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-bright': 'var(--text)',
  '--mantine-color-dimmed': 'var(--text-2)',
  '--mantine-color-placeholder': 'var(--text-3)',
  '--mantine-color-error': 'var(--bad-text)',
  '--mantine-color-anchor': 'var(--accent-text)',
  '--mantine-color-accent-filled': 'var(--accent)',
  '--mantine-color-accent-filled-hover': 'var(--accent-hover)',
  '--mantine-color-accent-light': 'var(--pressed)',
  '--mantine-color-accent-light-hover': 'var(--pressed)',
  '--mantine-color-accent-light-color': 'var(--accent-text)',
  '--mantine-color-accent-outline': 'var(--accent-text)',
  '--mantine-color-red-text': 'var(--bad-text)',
} as const;

/** Mantine's colours in both schemes: those of `tokens.css`, which know the scheme. */
export const resolveVariables: CSSVariablesResolver = () => ({ variables: {}, light: COLORS, dark: COLORS });
