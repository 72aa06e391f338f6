import { styleText } from 'node:util';

/** Whether standard output is a terminal that shows colors; `NO_COLOR` and `TERM=dumb` switch them off. */
export const HAS_COLORS = process.stdout.isTTY && process.stdout.hasColors();

export function paint(
  format: 'bold' | 'green' | 'yellow' | 'red',
  text: string,
  hasColors: boolean = HAS_COLORS,
): string {
  return hasColors ? styleText(format, text, { validateStream: false }) : text;
}

export type Progress = (step: string) => void;

export function createProgress(write: (text: string) => void): Progress {
  const start = performance.now();
  return (step) => {
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    write(`[${seconds.padStart(5)} s] ${step}\n`);
  };
}

/** Aligns rows to columns: the first column to the left, the others to the given side. The first row holds the headings. */
export function textTable(rows: readonly (readonly string[])[], side: 'left' | 'right'): readonly string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const align = (cell: string, column: number) =>
    column === 0 || side === 'left' ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(align).join('  ').trimEnd());
}
