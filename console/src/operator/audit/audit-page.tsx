// The audit log of all accounts: who asked for which change, from where, and what came of it. Newest first, page by page; the
// account may stand in the address (?account=).

import { Badge, Button, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { Shape } from "../../../../src/client/index.ts";
import { usePages } from "../../api/pages-query.ts";
import { operationWords } from "../../audit/operation-words.ts";
import { type AuditResult, auditResultChoices, auditResultOf, auditResults } from "../../audit/results.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { Page } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";
import { AccountName, useAccountNames, useAccounts } from "../account-name.tsx";
import classes from "./audit-page.module.css";

type Entry = Shape<"AuditEntry">;

export function AuditPage() {
  const [search, setSearch] = useSearchParams();
  const [result, setResult] = useState<AuditResult | null>(null);
  const [object, setObject] = useState("");
  const [settled] = useDebouncedValue(object.trim(), 300);
  const account = search.get("account");
  const pages = usePages<Entry>(["audit-log", "all", account, result, settled], (client, cursor) =>
    client.GET("/audit-log", {
      params: {
        query: {
          limit: 100,
          ...cursor,
          ...(account === null ? {} : { account_id: account }),
          ...(result === null ? {} : { result }),
          ...(settled === "" ? {} : { object: settled }),
        },
      },
    }),
  );
  const accounts = useAccounts().data?.data ?? [];
  const nameOf = useAccountNames();
  return (
    <Page
      title="All audit entries"
      description="Every change that any account requested, also those that were rejected. Newest first."
    >
      <div className={classes.tools}>
        <Select
          aria-label="Account"
          placeholder="All accounts"
          data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
          value={account}
          onChange={(chosen) => setSearch(chosen === null ? {} : { account: chosen })}
          clearable
          clearButtonProps={{ "aria-label": "All accounts" }}
          searchable
        />
        <Select
          aria-label="Result"
          placeholder="Any result"
          data={auditResultChoices}
          value={result}
          onChange={(value) => setResult(auditResultOf(value))}
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
        rows={pages.rows}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.again}
        step={1000}
        empty={
          <EmptyState icon="audit" title="No entries">
            No entries match these filters.
          </EmptyState>
        }
      />
      {pages.hasMore && (
        <Button variant="default" mt="sm" onClick={pages.readMore} loading={pages.isReadingMore}>
          Show older entries
        </Button>
      )}
    </Page>
  );
}

function columns(nameOf: (id: string) => string): readonly Column<Entry>[] {
  return [
    {
      key: "operation",
      header: "Operation",
      primary: true,
      cell: ({ operation, objects, reason }) => (
        <div>
          <span title={operation}>{operationWords(operation)}</span>
          {objects.length > 0 && <div className="soft">{objects.join(", ")}</div>}
          {reason !== null && <div className="soft">Reason: {reason}</div>}
        </div>
      ),
      sort: ({ operation }) => operation,
      text: ({ operation, objects, reason }) =>
        `${operation} ${operationWords(operation)} ${objects.join(" ")} ${reason ?? ""}`,
    },
    {
      key: "result",
      header: "Result",
      cell: ({ result, status, error_code }) => (
        <div>
          <Badge color={auditResults[result].color}>{auditResults[result].label}</Badge>{" "}
          <span className="soft" title={error_code ?? undefined}>
            {status}
          </span>
        </div>
      ),
      sort: ({ result, status }) => `${result} ${status}`,
      text: ({ result, error_code }) => `${auditResults[result].label} ${error_code ?? ""}`,
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
