import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

/** One column of a table. */
export interface Column<Row> {
  /** Header above the column; on a phone before each value. */
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Whether it names the row; one column of a table does. */
  readonly isName?: boolean;
  /** Whether it contains numbers, which are right-aligned. */
  readonly isNumber?: boolean;
}

/** A table that becomes a list of cards on a phone. Roles keep it a table for screen readers. */
export function DataTable<Row>(props: {
  /** Name of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}) {
  const { caption, columns, rows, rowKey } = props;
  return (
    <div className={classes['frame']}>
      <table className={classes['table']} role="table">
        <VisuallyHidden component="caption">{caption}</VisuallyHidden>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ header, isNumber }) => (
              <th
                key={header}
                scope="col"
                role="columnheader"
                className={isNumber === true ? classes['end'] : undefined}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row">
              {columns.map((column) =>
                column.isName === true ? (
                  <th key={column.header} scope="row" role="rowheader">
                    {column.cell(row)}
                  </th>
                ) : (
                  <td
                    key={column.header}
                    role="cell"
                    data-label={column.header}
                    className={column.isNumber === true ? classes['end'] : undefined}
                  >
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
