// The audit log: every change that was asked for, by which token and from where, and what became of it.

import { Badge, Button, Select } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../src/client/index.ts";
import { usePages } from "../api/pages-query.ts";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { Copyable } from "../shared/copyable.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { Page } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";
import { operationWords } from "./operation-words.ts";
import { type AuditResult, auditResultChoices, auditResultOf, auditResults } from "./results.ts";

type Entry = Shape<"AuditEntry">;

export function AuditPage() {
  const { account } = useSession();
  const [result, setResult] = useState<AuditResult | null>(null);
  const [token, setToken] = useState<string | null>(null);
  const tokens = useRead(["tokens"], (client) => client.GET("/tokens")).data?.data ?? [];
  const pages = usePages<Entry>(["audit-log", account.id, result, token], (client, cursor) =>
    client.GET("/audit-log", {
      params: {
        query: {
          account_id: account.id,
          limit: 100,
          ...cursor,
          ...(result === null ? {} : { result }),
          ...(token === null ? {} : { token_id: token }),
        },
      },
    }),
  );
  const nameOf = (id: string) => tokens.find((one) => one.id === id)?.name ?? id.slice(0, 8);
  return (
    <Page title="Audit log" description="Every requested change, including rejected ones. Newest first.">
      <DataTable
        label="Audit log"
        columns={columnsWith(nameOf)}
        rows={pages.rows}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.again}
        step={1000}
        tools={
          <>
            <Select
              aria-label="Result"
              placeholder="Any result"
              data={auditResultChoices}
              value={result}
              onChange={(value) => setResult(auditResultOf(value))}
              clearable
              w={150}
            />
            <Select
              aria-label="Token"
              placeholder="Any token"
              data={tokens.map(({ id, name }) => ({ value: id, label: name }))}
              value={token}
              onChange={setToken}
              clearable
              searchable
              w={180}
            />
          </>
        }
        empty={
          <EmptyState icon="audit" title="No entries">
            No entries match these filters.
          </EmptyState>
        }
      />
      {pages.hasMore && (
        <Button variant="default" mt="sm" onClick={pages.readMore} loading={pages.isReadingMore}>
          Load older entries
        </Button>
      )}
    </Page>
  );
}

const columnsWith = (nameOf: (id: string) => string): readonly Column<Entry>[] => [
  {
    key: "operation",
    header: "What",
    primary: true,
    cell: ({ operation }) => <span title={operation}>{operationWords(operation)}</span>,
    sort: ({ operation }) => operation,
    text: ({ operation }) => `${operation} ${operationWords(operation)}`,
  },
  {
    key: "result",
    header: "Result",
    cell: ({ result, status, error_code }) => (
      <Badge color={auditResults[result].color} title={error_code ?? String(status)}>
        {auditResults[result].label}
      </Badge>
    ),
    sort: ({ result }) => result,
    text: ({ result, error_code }) => `${auditResults[result].label} ${error_code ?? ""}`,
  },
  {
    key: "objects",
    header: "About",
    cell: ({ objects, reason }) => (
      <>
        {objects.length === 0 ? <span className="soft">–</span> : objects.slice(0, 2).map(short).join(", ")}
        {reason !== null && <span className="soft"> – {reason}</span>}
      </>
    ),
    text: ({ objects, reason }) => `${objects.join(" ")} ${reason ?? ""}`,
  },
  {
    key: "token",
    header: "By token",
    cell: ({ token_id }) => nameOf(token_id),
    sort: ({ token_id }) => nameOf(token_id),
    text: ({ token_id }) => `${nameOf(token_id)} ${token_id}`,
  },
  {
    key: "from",
    header: "From",
    cell: ({ address, interface: name }) => (
      <>
        {address ?? <span className="soft">an operator</span>} <span className="soft">{name}</span>
      </>
    ),
    text: ({ address, interface: name }) => `${address ?? ""} ${name}`,
  },
  { key: "at", header: "When", cell: ({ at }) => <Time at={at} />, sort: ({ at }) => at },
  {
    key: "request",
    header: "Request",
    cell: ({ request_id }) => <Copyable value={request_id} shown={request_id.slice(0, 8)} label="request id" />,
    text: ({ request_id }) => request_id,
  },
];

/** Of an id its beginning; a name whole. */
const short = (object: string): string => (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(object) ? object.slice(0, 8) : object);
