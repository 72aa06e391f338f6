import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';

/** Returns whether a stream is a terminal that shows colors; `NO_COLOR` and `TERM=dumb` switch them off. */
export function showsColors(
  stream: Partial<Pick<WriteStream, 'isTTY' | 'hasColors'>>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  return stream.isTTY === true && stream.hasColors?.(env) === true;
}

export const HAS_COLORS = showsColors(process.stdout);

/** Formats a text; unchanged where standard output shows no colors. */
export function paint(
  format: 'bold' | 'green' | 'yellow' | 'red',
  text: string,
  hasColors: boolean = HAS_COLORS,
): string {
  return hasColors ? styleText(format, text, { validateStream: false }) : text;
}
