// A filter of a list: one of some values, or any. Used beside the tables that the service filters.

import { Select } from "@mantine/core";

interface FilterSelectProps<Value extends string> {
  /** What is filtered: "Status". */
  readonly name: string;
  /** No filter: "Any status". */
  readonly none: string;
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
  /** Null: no filter. */
  readonly value: Value | null;
  readonly onChange: (value: Value | null) => void;
  /** In pixels. */
  readonly width?: number;
  readonly searchable?: boolean;
}

export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { name, none, choices, value, onChange, width, searchable = false } = props;
  return (
    <Select
      aria-label={name}
      placeholder={none}
      data={choices}
      value={value}
      onChange={(chosen) => onChange(choices.find((one) => one.value === chosen)?.value ?? null)}
      searchable={searchable}
      clearable
      clearButtonProps={{ "aria-label": none }}
      {...(width !== undefined && { w: width })}
    />
  );
}
