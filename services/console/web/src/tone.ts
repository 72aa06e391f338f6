/** Meaning of a colour. It always appears with a text. */
export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet';
