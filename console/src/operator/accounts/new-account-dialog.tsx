// The form for a new account. It can do nothing until it has a token.

import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useLocation } from "wouter";
import { useChange } from "../../api/queries.ts";
import { FormDialog } from "../../shared/form-dialog.tsx";
import { centsOf, DollarsInput, type Typed } from "../../shared/number-inputs.tsx";

export function NewAccountDialog({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const form = useForm({ initialValues: { name: "", spend_limit_cents: "" as Typed } });
  const create = useChange(
    (client, { name, spend_limit_cents: limit }: typeof form.values) =>
      client.POST("/accounts", { body: { name, ...(limit === "" ? {} : { spend_limit_cents: centsOf(limit) }) } }),
    ["accounts"],
  );
  return (
    <FormDialog
      size="lg"
      title="New account"
      action="Create"
      form={form}
      change={create}
      onClose={onClose}
      onSaved={({ data }) => navigate(`/operator/accounts/${data.id}`)}
    >
      <TextInput
        label="Name"
        description="Unique; 1 to 64 characters."
        {...form.getInputProps("name")}
        autoComplete="off"
        data-autofocus
      />
      <DollarsInput
        label="Monthly spend limit"
        description="Empty: the configured default."
        {...form.getInputProps("spend_limit_cents")}
      />
    </FormDialog>
  );
}
