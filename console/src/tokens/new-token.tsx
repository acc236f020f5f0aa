// The form for a new token: whose it is, its name, scopes, expiration and spend limit.

import { Checkbox, Select, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import type { Shape } from "../../../src/client/client.ts";
import type { CompatibilityVersion } from "../../../src/rules/compatibility-versions.ts";
import { fullOperator, operatorMay, operatorRoles } from "../../../src/rules/roles.ts";
import { useChange } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { CompatibilitySelect } from "../shared/compatibility-select.tsx";
import { FormDialog } from "../shared/form-dialog.tsx";
import { centsOf, DollarsInput, type Typed } from "../shared/number-inputs.tsx";

type Scope = "read" | "write" | "operator";

const scopeWords: Readonly<Record<Scope, string>> = {
  read: "View instances, prices, usage and events",
  write: "Launch, change and terminate instances, and change the account",
  operator: "Operate the service: all accounts, the fleet and the catalog",
};

const lifetimes = [
  { value: "0", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
] as const;

interface NewTokenProps {
  readonly onClose: () => void;
  readonly onCreated: (token: Shape<"MadeToken">) => void;
}

export function NewToken({ onClose, onCreated }: NewTokenProps) {
  const { scopes: own, person, lack, account } = useSession();
  const cannotForTeam = lack("tokens");
  const choosesRole = own.includes("operator") && operatorMay(account.token.operator_role, "fleet");
  const form = useForm({
    initialValues: {
      name: "",
      of: "person" as "person" | "team",
      scopes: ["read"] as string[],
      operator_role: fullOperator,
      days: "90",
      spend_limit_cents: "" as Typed,
      compatibility_version: null as CompatibilityVersion | null,
    },
    validate: { name: isNotEmpty("Enter a name."), scopes: isNotEmpty("Select at least one scope.") },
  });
  const create = useChange(
    (
      client,
      { name, of, scopes, operator_role: role, days, spend_limit_cents, compatibility_version }: typeof form.values,
    ) =>
      client.POST("/tokens", {
        body: {
          name: name.trim(),
          ...(of === "team" ? { person_id: null } : {}),
          ...(choosesRole && scopes.includes("operator") ? { operator_role: role } : {}),
          scopes: own.filter((scope) => scopes.includes(scope)),
          expires_at: days === "0" ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
          spend_limit_cents: centsOf(spend_limit_cents),
          compatibility_version,
        },
      }),
    ["tokens"],
  );
  return (
    <FormDialog
      title="New token"
      action="Create token"
      form={form}
      change={create}
      onClose={onClose}
      onSaved={({ data }) => {
        onCreated(data);
        onClose();
      }}
    >
      <TextInput
        label="Name"
        description="A name that tells where the token is used"
        {...form.getInputProps("name")}
        maxLength={64}
        data-autofocus
      />
      {person !== null && (
        <Select
          label="Belongs to"
          description={
            cannotForTeam === undefined
              ? "Your own tokens have your role, and end when you leave. Those of the team may what an admin may."
              : `Your own tokens have your role. Tokens of the team: ${cannotForTeam}`
          }
          data={[
            { value: "person", label: `You (${person.name})` },
            { value: "team", label: "The team", disabled: cannotForTeam !== undefined },
          ]}
          allowDeselect={false}
          {...form.getInputProps("of")}
        />
      )}
      <Checkbox.Group label="Scopes" {...form.getInputProps("scopes")}>
        {own.map((scope) => (
          <Checkbox key={scope} value={scope} label={scope} description={scopeWords[scope]} mt="xs" />
        ))}
      </Checkbox.Group>
      {choosesRole && form.values.scopes.includes("operator") && (
        <Select
          label="Role as an operator"
          description="What it may with the scope operator."
          data={[...operatorRoles]}
          allowDeselect={false}
          {...form.getInputProps("operator_role")}
        />
      )}
      <Select label="Expiration" data={[...lifetimes]} allowDeselect={false} {...form.getInputProps("days")} />
      <DollarsInput
        label="Monthly spend limit"
        description="At the limit, the token can't launch and its instances are terminated."
        placeholder="No limit"
        {...form.getInputProps("spend_limit_cents")}
      />
      <CompatibilitySelect {...form.getInputProps("compatibility_version")} />
    </FormDialog>
  );
}
