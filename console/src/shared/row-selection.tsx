// Selecting rows of a list: a checkbox in every row, and one for all rows that are shown. The list's owner keeps the
// selection.

import { Checkbox } from "@mantine/core";
import type { RefObject } from "react";

export interface RowSelection<Row> {
  /** Keys of rows. */
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  /** The accessible name of a row. */
  readonly nameOf: (row: Row) => string;
}

/** What a row needs to change the selection. */
export type Choosing = Pick<RowSelection<never>, "chosen" | "onChange">;

interface SelectRowProps {
  readonly selection: RefObject<Choosing | undefined>;
  readonly isChosen: boolean;
  /** The accessible name of the row. */
  readonly name: string;
  readonly rowKey: string;
}

export function SelectRow({ selection, isChosen, name, rowKey }: SelectRowProps) {
  const toggle = () => {
    if (selection.current === undefined) return;
    const { chosen, onChange } = selection.current;
    onChange(new Set(chosen.has(rowKey) ? [...chosen].filter((key) => key !== rowKey) : [...chosen, rowKey]));
  };
  return <Checkbox checked={isChosen} onChange={toggle} aria-label={`Select ${name}`} size="xs" />;
}

interface SelectAllProps<Row> {
  readonly selection: RowSelection<Row>;
  /** The accessible name of the list. */
  readonly label: string;
  /** Of the rows that are shown: filtered rows are not selected with the rest. */
  readonly keys: readonly string[];
}

export function SelectAll<Row>({ selection, label, keys }: SelectAllProps<Row>) {
  const { chosen, onChange } = selection;
  const count = keys.filter((key) => chosen.has(key)).length;
  const all = keys.length > 0 && count === keys.length;
  const others = [...chosen].filter((key) => !keys.includes(key));
  const toggle = () => onChange(new Set(all ? others : [...others, ...keys]));
  return (
    <Checkbox
      checked={all}
      indeterminate={count > 0 && !all}
      onChange={toggle}
      disabled={keys.length === 0}
      aria-label={`Select all shown ${label.toLowerCase()}`}
      size="xs"
    />
  );
}
