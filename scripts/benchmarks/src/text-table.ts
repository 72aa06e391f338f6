/** Aligns rows to columns: the first column to the left, the others to the right. The first row holds the headings. */
export function textTable(rows: readonly (readonly string[])[]): readonly string[] {
  const columns = rows[0] ?? [];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
}
