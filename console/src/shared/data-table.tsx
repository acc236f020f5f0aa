// Every list of the console. It filters and sorts, keeps its size while it loads, has an empty and an error state, and
// becomes cards on narrow screens. It gets all rows and shows more on demand. Those that fit on a screen are drawn first, and
// a row is drawn again only when it changes (table-row.tsx).

import { Button, NativeSelect, Skeleton, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, useMemo, useState } from "react";
import { arrange, type Sorting, type SortValue } from "./arrange.ts";
import classes from "./data-table.module.css";
import { ErrorState } from "./error-state.tsx";
import { formatNumber } from "./format-number.ts";
import { Icon } from "./icon.tsx";
import { type RowSelection, SelectAll } from "./row-selection.tsx";
import { TableRow, useCurrent } from "./table-row.tsx";
import { useGrowing } from "./use-growing.ts";

export interface Column<Row> {
  /** Stable, and unique in its table. */
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** The sort value; without it, the column is not sortable. */
  readonly sort?: (row: Row) => SortValue;
  /** The text that the filter searches; without it, the column is not searched. */
  readonly text?: (row: Row) => string;
  readonly align?: "right";
  /** CSS width; the others share what is left. */
  readonly width?: string;
  /** Short words, such as a state or an address: in a table never broken or cut. */
  readonly whole?: true;
  /** Names the row: screen readers say it first, and it is the head of its card. */
  readonly primary?: true;
}

interface DataTableProps<Row> {
  /** The accessible name: "Instances". */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined: loading. */
  readonly rows: readonly Row[] | undefined;
  /** More rows are being loaded. */
  readonly isPartial?: boolean;
  readonly rowKey: (row: Row) => string;
  readonly error?: Error | null;
  readonly onRetry?: () => void;
  /** An EmptyState, without any rows. */
  readonly empty: ReactNode;
  /** The initial order; without it, that of the rows. */
  readonly initialSort?: Sorting;
  /** Choices beside the filter: a state, a region. */
  readonly tools?: ReactNode;
  /** What is to be read before the rows, and comes with them: above, it would move the choices. */
  readonly notice?: ReactNode;
  /** Buttons at the end of each row. */
  readonly rowActions?: ((row: Row) => ReactNode) | undefined;
  /** Undefined: rows cannot be selected. */
  readonly selection?: RowSelection<Row> | undefined;
  /** How many rows are shown at first. */
  readonly step?: number;
  /** False: too few rows to search. */
  readonly filter?: boolean;
}

const skeletonRows = [0, 1, 2, 3, 4];

const steps = { first: 20, more: 20 };

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, columns, rows, error = null, onRetry, empty, tools, notice, step = 100, filter = true } = props;
  const { isPartial = false } = props;
  const [wanted, setWanted] = useState("");
  const [sorting, setSorting] = useState<Sorting | undefined>(props.initialSort);
  const [most, setMost] = useState(step);
  const asCards = useAsCards(columns.length + (props.rowActions === undefined ? 0 : 1));
  const arranged = useMemo(
    () => (rows === undefined ? undefined : arrange(rows, columns, wanted, sorting, most)),
    [rows, columns, wanted, sorting, most],
  );
  const order = `${rows === undefined} ${sorting?.key} ${sorting?.descending} ${wanted}`;
  const { count: drawn, isBusy } = useGrowing(arranged?.first.length ?? 0, order, steps);

  // Old rows are better than none; the frame's notice says that they are old.
  if (rows === undefined && error !== null) return <ErrorState error={error} {...(onRetry && { again: onRetry })} />;
  if (rows?.length === 0 && tools === undefined) return empty;

  const shown = arranged?.first.slice(0, drawn);
  const left = (arranged?.count ?? 0) - (arranged?.first.length ?? 0);
  const sortable = asCards && columns.some(({ sort }) => sort !== undefined);
  return (
    <div className={classes.whole}>
      {(filter || tools !== undefined || sortable) && (
        <div className={classes.tools}>
          {filter && (
            <TextInput
              className={classes.filter ?? ""}
              aria-label={`Filter ${label.toLowerCase()}`}
              placeholder="Filter"
              value={wanted}
              onChange={(event) => setWanted(event.currentTarget.value)}
              leftSection={<Icon name="search" size={14} />}
              type="search"
            />
          )}
          {tools}
          {sortable && <SortChoice label={label} columns={columns} sorting={sorting} onSort={setSorting} />}
          <span className={classes.count} role="status">
            {arranged === undefined ? "" : countOf(arranged.count, rows?.length ?? 0)}
            {isPartial && ", loading more"}
          </span>
        </div>
      )}
      {notice}
      {rows?.length === 0 ? (
        empty
      ) : (
        // Other elements than while it loads: those would be seen to move down by the notice.
        <Rows
          key={shown === undefined ? "loading" : "loaded"}
          {...props}
          asCards={asCards}
          shown={shown}
          isBusy={isBusy}
          sorting={sorting}
          onSort={setSorting}
        />
      )}
      {shown?.length === 0 && rows?.length !== 0 && (
        <p className={classes.none}>
          No results for “{wanted}”.{" "}
          <button type="button" className={classes.clear} onClick={() => setWanted("")}>
            Clear filter
          </button>
        </p>
      )}
      {left > 0 && (
        <Button variant="default" onClick={() => setMost(most + step)} className={classes.more ?? ""}>
          Show {formatNumber(Math.min(left, step))} more of {formatNumber(left)}
        </Button>
      )}
    </div>
  );
}

/** With this many columns, counting buttons as one, a table does not fit a tablet. */
const many = 7;

function useAsCards(columns: number): boolean {
  const tooNarrow = `(max-width: ${columns < many ? 700 : 960}px)`;
  // Known at the first render, or it would jump.
  return useMediaQuery(tooNarrow, false, { getInitialValueInEffect: false });
}

interface SortChoiceProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting | undefined) => void;
}

/** Sorting for cards, which have no column heads. */
function SortChoice<Row>({ label, columns, sorting, onSort }: SortChoiceProps<Row>) {
  const choices = columns.flatMap(({ key, header, sort }) =>
    sort === undefined
      ? []
      : [
          { value: key, label: `${header}, ascending`, sorting: { key, descending: false } },
          { value: `${key}:down`, label: `${header}, descending`, sorting: { key, descending: true } },
        ],
  );
  return (
    <NativeSelect
      className={classes.sortChoice ?? ""}
      aria-label={`Sort ${label.toLowerCase()}`}
      value={sorting === undefined ? "" : `${sorting.key}${sorting.descending ? ":down" : ""}`}
      onChange={({ currentTarget: { value } }) => onSort(choices.find((choice) => choice.value === value)?.sorting)}
      data={[{ value: "", label: "Not sorted" }, ...choices]}
    />
  );
}

interface RowsProps<Row> extends DataTableProps<Row> {
  readonly asCards: boolean;
  readonly shown: readonly Row[] | undefined;
  /** More rows are about to be drawn. */
  readonly isBusy: boolean;
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting) => void;
}

// Explicit roles: shown as cards, browsers no longer treat its parts as a table.
function Rows<Row extends object>(props: RowsProps<Row>) {
  const { asCards, label, columns, shown, isBusy, rowKey, rowActions, selection, sorting, onSort } = props;
  const current = useCurrent(selection);
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see above
    // biome-ignore-start lint/a11y/useSemanticElements: see above
    <div className={classes.frame} data-cards={asCards || undefined}>
      <table
        className={classes.table}
        data-many={columns.length >= many || undefined}
        role="table"
        aria-label={label}
        aria-busy={shown === undefined || isBusy}
      >
        <thead role="rowgroup">
          <tr role="row">
            {selection !== undefined && (
              <th role="columnheader" className={classes.selectHead} scope="col">
                <SelectAll selection={selection} label={label} keys={shown?.map(rowKey) ?? []} />
              </th>
            )}
            {columns.map((column) => (
              <Header key={column.key} column={column} sorting={sorting} onSort={onSort} />
            ))}
            {rowActions !== undefined && (
              <th role="columnheader" className={classes.actionsHead} scope="col">
                <span className="hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {shown?.map((row) => (
            <TableRow
              key={rowKey(row)}
              row={row}
              rowKey={rowKey(row)}
              columns={columns}
              rowActions={rowActions}
              selection={current}
              selectName={selection?.nameOf(row)}
              isChosen={selection?.chosen.has(rowKey(row)) ?? false}
            />
          ))}
          {shown === undefined &&
            skeletonRows.map((row) => (
              <tr role="row" key={row}>
                {selection !== undefined && <td role="cell" className={classes.select} />}
                {columns.map((column) => (
                  <td key={column.key} role="cell" data-label={column.header} data-primary={column.primary}>
                    <Skeleton height={10} width={column.primary ? "62%" : "44%"} my={5} />
                  </td>
                ))}
                {rowActions !== undefined && <td role="cell" className={classes.actions} />}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
    // biome-ignore-end lint/a11y/useSemanticElements: see above
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  );
}

interface HeaderProps<Row> {
  readonly column: Column<Row>;
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting) => void;
}

function Header<Row>({ column, sorting, onSort }: HeaderProps<Row>) {
  const mine = sorting?.key === column.key ? sorting : undefined;
  const style = column.width === undefined ? undefined : { width: column.width };
  if (column.sort === undefined) {
    return (
      <th scope="col" style={style} data-align={column.align}>
        {column.header}
      </th>
    );
  }
  const sort = () => onSort({ key: column.key, descending: mine !== undefined && !mine.descending });
  const ariaSort = mine === undefined ? "none" : mine.descending ? "descending" : "ascending";
  return (
    <th scope="col" style={style} data-align={column.align} aria-sort={ariaSort}>
      <button type="button" className={classes.sort} onClick={sort}>
        {column.header}
        <span data-sorted={mine !== undefined}>
          <Icon name={mine?.descending ? "down" : "up"} size={11} />
        </span>
      </button>
    </th>
  );
}

function countOf(shown: number, all: number): string {
  return shown === all ? formatNumber(all) : `${formatNumber(shown)} of ${formatNumber(all)}`;
}
