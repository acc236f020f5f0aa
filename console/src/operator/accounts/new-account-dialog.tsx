// A new account: its name, and what may differ from the configured defaults. It can do nothing until it has a token.

import { TextInput } from "@mantine/core";
import { useLocation } from "wouter";
import { useChange } from "../../api/queries.ts";
import { FormDialog, fieldErrorOf, useValues } from "../form-dialog.tsx";
import { centsOf, DollarsInput } from "./limits-fields.tsx";

export function NewAccountDialog({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const { values, set } = useValues({ name: "", spendLimit: "" as number | string });
  const create = useChange(
    (client) =>
      client.POST("/accounts", {
        body: {
          name: values.name,
          ...(values.spendLimit === "" ? {} : { spend_limit_cents: centsOf(values.spendLimit) }),
        },
      }),
    ["accounts"],
  );
  const submit = () => create.mutate(undefined, { onSuccess: ({ data }) => navigate(`/operator/accounts/${data.id}`) });
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="New account"
      action="Create"
      onSubmit={submit}
      pending={create.isPending}
      error={create.error}
      fields={["name", "spend_limit_cents"]}
    >
      <TextInput
        label="Name"
        description="Unique; 1 to 64 characters."
        value={values.name}
        onChange={(event) => set("name")(event.currentTarget.value)}
        error={fieldErrorOf(create.error, "name")}
        autoComplete="off"
        data-autofocus
      />
      <DollarsInput
        label="Monthly spend limit"
        description="Empty: the configured default."
        value={values.spendLimit}
        onChange={set("spendLimit")}
        error={fieldErrorOf(create.error, "spend_limit_cents")}
      />
    </FormDialog>
  );
}
