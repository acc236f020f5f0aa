// A filter by account, for lists of all accounts.

import { Select } from "@mantine/core";
import { useAccounts } from "./account-name.tsx";

interface AccountSelectProps {
  /** An id; null: all. */
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

export function AccountSelect({ value, onChange }: AccountSelectProps) {
  const accounts = useAccounts().data?.data ?? [];
  return (
    <Select
      aria-label="Account"
      placeholder="All accounts"
      data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      clearable
      clearButtonProps={{ "aria-label": "All accounts" }}
      searchable
      w={180}
    />
  );
}
