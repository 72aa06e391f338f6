/** The accent of the console, from light to dark. */
export const PINE = [
  '#e9f7f4',
  '#d0ebe5',
  '#a3d6cb',
  '#71bfaf',
  '#48aa97',
  '#2b9481',
  '#177d6c',
  '#0f6a5c',
  '#0c574c',
  '#07423a',
] as const;

/** Greys with a little of the accent, for the dark scheme: text first, backgrounds last. */
export const INK = [
  '#e4e9e7',
  '#c9d1ce',
  '#a8b3af',
  '#8b9893',
  '#5a6662',
  '#3d4845',
  '#2b3432',
  '#1b2220',
  '#151b19',
  '#0f1412',
] as const;

/** Colours of text and of its backgrounds. */
export const SURFACES = {
  light: {
    body: '#f7f8f6',
    raised: '#ffffff',
    text: '#1a211f',
    dimmed: '#55605c',
    placeholder: '#646f6b',
    error: '#a3261f',
    anchor: PINE[7],
    border: '#d5dad7',
  },
  dark: {
    body: '#151b19',
    raised: '#1b2220',
    text: '#e4e9e7',
    dimmed: '#a8b3af',
    placeholder: '#97a39e',
    error: '#ff9c92',
    anchor: PINE[3],
    border: '#3d4845',
  },
} as const;

/** The navigation has the same dark background in both schemes. */
export const RAIL = { ground: '#07342e', text: '#e3f1ee', dimmed: '#a5cbc2', active: '#0f6a5c' } as const;

/** Meaning of a colour. It always appears with a text or an icon. */
export const TONES = ['good', 'warn', 'bad', 'info', 'quiet'] as const;

export type Tone = (typeof TONES)[number];

interface ToneColors {
  readonly text: string;
  readonly background: string;
  readonly border: string;
}

/** Colours of each tone; text on its background has a contrast of at least 4.5. */
export const TONE_COLORS: Readonly<Record<'light' | 'dark', Readonly<Record<Tone, ToneColors>>>> = {
  light: {
    good: { text: '#0b5345', background: '#dff3ec', border: '#9fd3c3' },
    warn: { text: '#6b4300', background: '#fdf0d3', border: '#e6c57c' },
    bad: { text: '#8c1d18', background: '#fce8e6', border: '#eda9a3' },
    info: { text: '#1d4477', background: '#e6effa', border: '#a9c4e8' },
    quiet: { text: '#46504c', background: '#eceeec', border: '#c7cdca' },
  },
  dark: {
    good: { text: '#8fdcc6', background: '#12372e', border: '#2b6a5a' },
    warn: { text: '#f3c969', background: '#3a2d0f', border: '#77602a' },
    bad: { text: '#ffb0a8', background: '#451c1a', border: '#8a4641' },
    info: { text: '#a8cbf7', background: '#1b2f49', border: '#3f6391' },
    quiet: { text: '#c9d1ce', background: '#2b3432', border: '#4b5652' },
  },
};
