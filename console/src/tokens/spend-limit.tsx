// The form for a token's monthly spend limit.

import { useForm } from "@mantine/form";
import type { Shape } from "../../../src/client/client.ts";
import { useChange } from "../api/queries.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { centsOf, DollarsInput, dollarsOf } from "../shared/number-inputs.tsx";

export function SpendLimit({ token, onClose }: { readonly token: Shape<"Token">; readonly onClose: () => void }) {
  const form = useForm({ initialValues: { spend_limit_cents: dollarsOf(token.spend_limit_cents) } });
  const change = useChange(
    (client, { spend_limit_cents }: typeof form.values) =>
      client.PATCH("/tokens/{id}", {
        params: { path: { id: token.id } },
        body: { spend_limit_cents: centsOf(spend_limit_cents) },
      }),
    ["tokens"],
  );
  return (
    <FormDialog title={`Spend limit of ${token.name}`} action="Set limit" form={form} change={change} onClose={onClose}>
      <DollarsInput
        label="Dollars per month (UTC)"
        description="At the limit, the token can't launch and its instances are terminated, stopped ones too. Empty: no limit."
        {...form.getInputProps("spend_limit_cents")}
        data-autofocus
      />
    </FormDialog>
  );
}
