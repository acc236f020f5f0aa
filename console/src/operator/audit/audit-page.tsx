// The audit log of all accounts: who asked for which change, from where, and what came of it. Newest first, page by page; the
// account may stand in the address (?account=).

import { Badge, Button, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { Shape } from "../../../../src/client/index.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { Page } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";
import { AccountName, useAccountNames, useAccounts } from "../account-name.tsx";
import classes from "./audit-page.module.css";
import { type AuditFilter, useAuditLog } from "./use-audit-log.ts";

type Entry = Shape<"AuditEntry">;

const results: Readonly<Record<Entry["result"], { readonly label: string; readonly color: string }>> = {
  done: { label: "Done", color: "green" },
  replayed: { label: "Given again", color: "gray" },
  refused: { label: "Refused", color: "amber" },
  failed: { label: "Failed", color: "red" },
};

export function AuditPage() {
  const [search, setSearch] = useSearchParams();
  const [result, setResult] = useState<Entry["result"] | null>(null);
  const [object, setObject] = useState("");
  const [settled] = useDebouncedValue(object.trim(), 300);
  const filter: AuditFilter = { account_id: search.get("account"), result, object: settled };
  const log = useAuditLog(filter);
  const accounts = useAccounts().data?.data ?? [];
  const nameOf = useAccountNames();
  return (
    <Page
      title="All audit entries"
      description="Every request of any account that changed something or was refused it, newest first."
    >
      <div className={classes.tools}>
        <Select
          aria-label="Account"
          placeholder="All accounts"
          data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
          value={filter.account_id}
          onChange={(account) => setSearch(account === null ? {} : { account })}
          clearable
          clearButtonProps={{ "aria-label": "All accounts" }}
          searchable
        />
        <Select
          aria-label="Result"
          placeholder="Any result"
          data={Object.entries(results).map(([value, { label }]) => ({ value, label }))}
          value={result}
          onChange={(value) => setResult(isResult(value) ? value : null)}
          clearable
          clearButtonProps={{ "aria-label": "Any result" }}
        />
        <TextInput
          aria-label="About this id or name"
          placeholder="About this id or name"
          value={object}
          onChange={(event) => setObject(event.currentTarget.value)}
        />
      </div>
      <DataTable
        label="Audit log"
        columns={columns(nameOf)}
        rows={log.entries}
        rowKey={({ id }) => id}
        error={log.error}
        onRetry={log.again}
        step={500}
        empty={
          <EmptyState icon="audit" title="No entries">
            Nothing that fits was asked for.
          </EmptyState>
        }
      />
      {log.more !== undefined && (
        <Button variant="default" mt={12} onClick={log.more} loading={log.isReading}>
          Show older ones
        </Button>
      )}
    </Page>
  );
}

const isResult = (text: string | null): text is Entry["result"] => text !== null && Object.hasOwn(results, text);

function columns(nameOf: (id: string) => string): readonly Column<Entry>[] {
  return [
    {
      key: "operation",
      header: "Operation",
      primary: true,
      cell: ({ operation, objects }) => (
        <div>
          {operation}
          {objects.length > 0 && <div className="soft">{objects.join(", ")}</div>}
        </div>
      ),
      sort: ({ operation }) => operation,
      text: ({ operation, objects }) => `${operation} ${objects.join(" ")}`,
    },
    {
      key: "result",
      header: "Result",
      cell: ({ result, status, error_code }) => (
        <div>
          <Badge color={results[result].color}>{results[result].label}</Badge>{" "}
          <span className="soft" title={error_code ?? undefined}>
            {status}
          </span>
        </div>
      ),
      sort: ({ result, status }) => `${result} ${status}`,
      text: ({ result, error_code }) => `${results[result].label} ${error_code ?? ""}`,
    },
    {
      key: "account",
      header: "Account",
      cell: ({ account_id, changed_account_id }) => (
        <div>
          <AccountName id={account_id} />
          {changed_account_id !== null && (
            <div className="soft">
              changed <AccountName id={changed_account_id} />
            </div>
          )}
        </div>
      ),
      sort: ({ account_id }) => nameOf(account_id),
      text: ({ account_id, token_id }) => `${nameOf(account_id)} ${token_id}`,
    },
    {
      key: "from",
      header: "From",
      cell: ({ address, interface: room }) => (
        <div>
          {address ?? "–"} <span className="soft">{room}</span>
        </div>
      ),
      sort: ({ address }) => address,
      text: ({ address, interface: room }) => `${address ?? ""} ${room}`,
    },
    {
      key: "at",
      header: "When",
      align: "right",
      cell: ({ at }) => <Time at={at} />,
      sort: ({ at }) => Date.parse(at),
    },
  ];
}
