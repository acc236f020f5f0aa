// The form for what a token may spend in a month.

import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../src/client/index.ts";
import { useChange } from "../api/queries.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { centsOf } from "../shared/parse-money.ts";

export function SpendLimit({ token, onClose }: { readonly token: Shape<"Token">; readonly onClose: () => void }) {
  const [limit, setLimit] = useState(
    token.spend_limit_cents === null ? "" : (token.spend_limit_cents / 100).toFixed(2),
  );
  const cents = centsOf(limit);
  const change = useChange(
    (client, spend_limit_cents: number | null) =>
      client.PATCH("/tokens/{id}", { params: { path: { id: token.id } }, body: { spend_limit_cents } }),
    ["tokens"],
  );
  return (
    <FormDialog
      title={`Spend limit of ${token.name}`}
      action="Set limit"
      onClose={onClose}
      onSubmit={() => cents !== undefined && change.mutate(cents, { onSuccess: onClose })}
      disabled={cents === undefined}
      pending={change.isPending}
      error={change.error}
    >
      <TextInput
        label="Dollars per month (UTC)"
        description="At the limit, the token can't launch and its instances are terminated, stopped ones too. Empty: no limit."
        value={limit}
        onChange={(event) => setLimit(event.currentTarget.value)}
        leftSection="$"
        inputMode="decimal"
        error={cents === undefined ? "Enter an amount such as 50 or 49.99." : undefined}
        data-autofocus
      />
    </FormDialog>
  );
}
