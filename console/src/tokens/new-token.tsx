// The form for a new token: its name, what it may do, until when, and what it may spend.

import { Checkbox, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../src/client/index.ts";
import type { CompatibilityVersion } from "../../../src/rules/compatibility-versions.ts";
import { useChange } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { CompatibilitySelect } from "../shared/compatibility-select.tsx";
import { fieldError } from "../shared/error-state.tsx";
import { FormDialog } from "../shared/form-dialog.tsx";
import { centsOf } from "../shared/parse-money.ts";

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
  readonly onMade: (token: Shape<"MadeToken">) => void;
}

export function NewToken({ onClose, onMade }: NewTokenProps) {
  const { scopes: own } = useSession();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly string[]>(["read"]);
  const [days, setDays] = useState<string>("90");
  const [limit, setLimit] = useState("");
  const [version, setVersion] = useState<CompatibilityVersion | null>(null);
  const cents = centsOf(limit);
  const make = useChange(
    (client, _input: undefined) =>
      client.POST("/tokens", {
        body: {
          name: name.trim(),
          scopes: own.filter((scope) => scopes.includes(scope)),
          expires_at: days === "0" ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
          spend_limit_cents: cents ?? null,
          compatibility_version: version,
        },
      }),
    ["tokens"],
  );
  const submit = () =>
    make.mutate(undefined, {
      onSuccess: ({ data }) => {
        onMade(data);
        onClose();
      },
    });
  return (
    <FormDialog
      title="New token"
      action="Create token"
      onClose={onClose}
      onSubmit={submit}
      disabled={name.trim() === "" || scopes.length === 0 || cents === undefined}
      pending={make.isPending}
      error={make.error}
    >
      <TextInput
        label="Name"
        description="A name that tells where the token is used"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fieldError(make.error, "name")}
        maxLength={64}
        data-autofocus
      />
      <Checkbox.Group label="Scopes" value={[...scopes]} onChange={setScopes} error={fieldError(make.error, "scopes")}>
        {own.map((scope) => (
          <Checkbox key={scope} value={scope} label={scope} description={scopeWords[scope]} mt="xs" />
        ))}
      </Checkbox.Group>
      <Select
        label="Expiration"
        data={[...lifetimes]}
        value={days}
        onChange={(value) => setDays(value ?? "0")}
        allowDeselect={false}
      />
      <TextInput
        label="Monthly spend limit"
        description="In dollars. At the limit, the token can't launch and its instances are terminated."
        placeholder="No limit"
        value={limit}
        onChange={(event) => setLimit(event.currentTarget.value)}
        leftSection="$"
        inputMode="decimal"
        error={
          cents === undefined ? "Enter an amount such as 50 or 49.99." : fieldError(make.error, "spend_limit_cents")
        }
      />
      <CompatibilitySelect
        value={version}
        onChange={setVersion}
        error={fieldError(make.error, "compatibility_version")}
      />
    </FormDialog>
  );
}
