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
