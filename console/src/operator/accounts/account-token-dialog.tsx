// A new token for an account, and the one time that it is shown.

import { Button, Checkbox, Modal, TextInput } from "@mantine/core";
import type { CompatibilityVersion } from "../../../../src/rules/compatibility-versions.ts";
import { useChange } from "../../api/queries.ts";
import { CompatibilitySelect } from "../../shared/compatibility-select.tsx";
import { CopyableBlock } from "../../shared/copyable.tsx";
import dialog from "../../shared/dialog.module.css";
import { FormDialog, fieldErrorOf, Row, useValues } from "../form-dialog.tsx";
import { centsOf, DollarsInput } from "./limits-fields.tsx";

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
  const { values, set } = useValues({
    name: "",
    scopes: ["read", "write"] as readonly Scope[],
    expires: "",
    limit: "" as number | string,
    version: null as CompatibilityVersion | null,
  });
  const make = useChange(
    (client) =>
      client.POST("/accounts/{id}/tokens", {
        params: { path: { id: accountId } },
        body: {
          name: values.name,
          scopes: [...values.scopes],
          expires_at: values.expires === "" ? null : `${values.expires}T23:59:59Z`,
          spend_limit_cents: centsOf(values.limit),
          compatibility_version: values.version,
        },
      }),
    ["tokens"],
  );
  if (make.data !== undefined) return <ShownOnce token={make.data.data.token} onClose={onClose} />;
  const error = (field: string) => fieldErrorOf(make.error, field);
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="New token"
      action="Create token"
      onSubmit={() => make.mutate(undefined)}
      pending={make.isPending}
      error={make.error}
      fields={["name", "scopes", "expires_at", "spend_limit_cents", "compatibility_version"]}
    >
      <TextInput
        label="Name"
        value={values.name}
        onChange={(event) => set("name")(event.currentTarget.value)}
        error={error("name")}
        autoComplete="off"
        data-autofocus
      />
      <Checkbox.Group
        label="Scopes"
        value={[...values.scopes]}
        onChange={(chosen) => set("scopes")(scopes.map(({ value }) => value).filter((one) => chosen.includes(one)))}
        error={error("scopes")}
      >
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
          value={values.expires}
          onChange={(event) => set("expires")(event.currentTarget.value)}
          error={error("expires_at")}
        />
        <DollarsInput
          label="Monthly spend limit"
          description="Empty: the account's."
          value={values.limit}
          onChange={set("limit")}
          error={error("spend_limit_cents")}
        />
      </Row>
      <CompatibilitySelect value={values.version} onChange={set("version")} error={error("compatibility_version")} />
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
