import { styleText } from 'node:util';

/** Whether standard output is a terminal that shows colors; `NO_COLOR` and `TERM=dumb` switch them off. */
export const HAS_COLORS = process.stdout.isTTY && process.stdout.hasColors();

/** Formats a text; unchanged where standard output shows no colors. */
export function paint(
  format: 'bold' | 'green' | 'yellow' | 'red',
  text: string,
  hasColors: boolean = HAS_COLORS,
): string {
  return hasColors ? styleText(format, text, { validateStream: false }) : text;
}
