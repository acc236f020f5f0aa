// A row of a list (data-table.tsx). Drawn again only when something of it changes: lists have up to hundreds of rows, and an
// event changes one of them.

import { memo, type ReactNode, type RefObject, useLayoutEffect, useRef } from "react";
import classes from "./data-table.module.css";
import type { Column } from "./data-table.tsx";
import { type Choosing, SelectRow } from "./row-selection.tsx";

interface TableRowProps<Row> {
  readonly row: Row;
  readonly rowKey: string;
  readonly columns: readonly Column<Row>[];
  readonly rowActions: ((row: Row) => ReactNode) | undefined;
  /** The same object for all times: what is chosen in other rows does not change this one. */
  readonly selection: RefObject<Choosing | undefined>;
  /** Its name for selecting it; undefined: rows cannot be selected. */
  readonly selectName: string | undefined;
  readonly isChosen: boolean;
}

function PlainRow<Row>({ row, rowKey, columns, rowActions, selection, selectName, isChosen }: TableRowProps<Row>) {
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: as of the table
    // biome-ignore-start lint/a11y/useSemanticElements: as of the table
    <tr role="row" data-chosen={isChosen || undefined}>
      {selectName !== undefined && (
        <td role="cell" className={classes.select}>
          <SelectRow selection={selection} isChosen={isChosen} name={selectName} rowKey={rowKey} />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.key}
          role={column.primary ? "rowheader" : "cell"}
          data-label={column.header}
          data-align={column.align}
          data-primary={column.primary}
          data-whole={column.whole}
        >
          <div className={classes.value}>{column.cell(row)}</div>
        </td>
      ))}
      {rowActions !== undefined && (
        <td role="cell" className={classes.actions}>
          <div>{rowActions(row)}</div>
        </td>
      )}
    </tr>
    // biome-ignore-end lint/a11y/useSemanticElements: as of the table
    // biome-ignore-end lint/a11y/noRedundantRoles: as of the table
  );
}

// memo forgets that the component takes rows of any kind.
export const TableRow = memo(PlainRow) as typeof PlainRow;

/** The present value, in an object that stays the same: for what is called later, not while something is drawn. */
export function useCurrent<T>(value: T): RefObject<T> {
  const current = useRef(value);
  useLayoutEffect(() => {
    current.current = value;
  });
  return current;
}
