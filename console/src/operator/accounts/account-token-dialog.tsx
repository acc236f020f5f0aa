// The form for a new token of an account, which is shown once.

import { Button, Checkbox, Modal, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { CompatibilityVersion } from "../../../../src/rules/compatibility-versions.ts";
import { useChange } from "../../api/queries.ts";
import { CompatibilitySelect } from "../../shared/compatibility-select.tsx";
import { CopyableBlock } from "../../shared/copyable.tsx";
import dialog from "../../shared/dialog.module.css";
import { FormDialog, Row } from "../../shared/form-dialog.tsx";
import { centsOf, DollarsInput, type Typed } from "../../shared/number-inputs.tsx";

const scopes = [
  { value: "read", label: "Read", description: "View the account's objects." },
  { value: "write", label: "Write", description: "Launch, change and terminate instances." },
  { value: "operator", label: "Operator", description: "Manage all accounts, hosts and the catalog." },
] as const;
type Scope = (typeof scopes)[number]["value"];

interface AccountTokenDialogProps {
  readonly accountId: string;
  readonly onClose: () => void;
}

export function AccountTokenDialog({ accountId, onClose }: AccountTokenDialogProps) {
  const form = useForm({
    initialValues: {
      name: "",
      scopes: ["read", "write"] as Scope[],
      expires_at: "",
      spend_limit_cents: "" as Typed,
      compatibility_version: null as CompatibilityVersion | null,
    },
  });
  const create = useChange(
    (client, { expires_at, spend_limit_cents, ...others }: typeof form.values) =>
      client.POST("/accounts/{id}/tokens", {
        params: { path: { id: accountId } },
        body: {
          ...others,
          expires_at: expires_at === "" ? null : `${expires_at}T23:59:59Z`,
          spend_limit_cents: centsOf(spend_limit_cents),
        },
      }),
    ["tokens"],
  );
  if (create.data !== undefined) return <ShownOnce token={create.data.data.token} onClose={onClose} />;
  return (
    <FormDialog
      size="lg"
      title="New token"
      action="Create token"
      form={form}
      change={create}
      onClose={onClose}
      onSaved={() => {}}
    >
      <TextInput label="Name" {...form.getInputProps("name")} autoComplete="off" data-autofocus />
      <Checkbox.Group label="Scopes" {...form.getInputProps("scopes")}>
        <div className={dialog.form} style={{ paddingTop: 6, gap: 10 }}>
          {scopes.map(({ value, label, description }) => (
            <Checkbox key={value} value={value} label={label} description={description} />
          ))}
        </div>
      </Checkbox.Group>
      <Row>
        <TextInput
          label="Expiration"
          description="Last day (UTC). Empty: never."
          type="date"
          {...form.getInputProps("expires_at")}
        />
        <DollarsInput
          label="Monthly spend limit"
          description="Empty: the account's."
          {...form.getInputProps("spend_limit_cents")}
        />
      </Row>
      <CompatibilitySelect {...form.getInputProps("compatibility_version")} />
    </FormDialog>
  );
}

function ShownOnce({ token, onClose }: { readonly token: string; readonly onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="The new token" size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <div className={dialog.form}>
        <p className={dialog.text} style={{ margin: 0 }}>
          Save it now. You can't view it again.
        </p>
        <CopyableBlock value={token} label="token" />
        <div className={dialog.buttons}>
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Modal>
  );
}
