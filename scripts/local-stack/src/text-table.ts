/** Aligns rows to columns: the first column to the left, the others to the given side. The first row holds the headings. */
export function textTable(rows: readonly (readonly string[])[], side: 'left' | 'right'): readonly string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const align = (cell: string, column: number) =>
    column === 0 || side === 'left' ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(align).join('  ').trimEnd());
}
