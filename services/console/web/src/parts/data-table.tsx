import { VisuallyHidden } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
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
  /** Whether a click anywhere in a row follows the link that names it. */
  readonly isClickable?: boolean;
}) {
  const { caption, columns, rows, rowKey, isClickable = false } = props;
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
            <tr
              key={rowKey(row)}
              role="row"
              {...(isClickable ? { onClick: followLink, className: classes['clickable'] } : {})}
            >
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

/** Follows the link that names a row, unless the click has another target or selects text. */
function followLink(event: MouseEvent<HTMLTableRowElement>) {
  const { target, currentTarget, nativeEvent } = event;
  if (!(target instanceof Element) || target.closest('a, button') !== null) return;
  if (window.getSelection()?.isCollapsed === false) return;
  currentTarget.querySelector('th a')?.dispatchEvent(new window.MouseEvent('click', nativeEvent));
}
