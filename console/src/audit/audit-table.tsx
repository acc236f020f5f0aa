// The table of audit entries, with the person and the token of each. Single source of the audit logs of customers and of
// operators, who also see the account.

import { Badge, Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import type { Pages } from "../api/pages-query.ts";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { ShortId, shortId } from "../shared/short-id.tsx";
import { Time } from "../shared/time.tsx";
import classes from "./audit-table.module.css";
import { type Named, type NamedObject, objectsOf } from "./object-names.ts";
import { auditResults } from "./results.ts";

export type Entry = Shape<"AuditEntry">;

interface AuditTableProps {
  readonly pages: Pages<Entry>;
  readonly names: Named;
  /** The account of an entry; only for operators. */
  readonly accountColumn?: Column<Entry>;
  /** The actor if no address is known. */
  readonly otherwise: string;
  readonly tools: ReactNode;
}

export function AuditTable({ pages, names, accountColumn, otherwise, tools }: AuditTableProps) {
  return (
    <>
      <DataTable
        label="Audit log"
        columns={columnsOf(names, accountColumn, otherwise)}
        rows={pages.rows}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.again}
        step={1000}
        tools={tools}
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
    </>
  );
}

/** At most this many objects are listed. */
const mostNamed = 3;

function columnsOf(
  names: Named,
  accountColumn: Column<Entry> | undefined,
  otherwise: string,
): readonly Column<Entry>[] {
  const tokenName = (id: string) => names.get(id)?.name ?? shortId(id);
  return [
    {
      key: "operation",
      header: "Operation",
      primary: true,
      cell: ({ operation, reason }) => (
        <div className={classes.words}>
          <span title={operation}>{operationWords(operation)}</span>
          {reason !== null && <div className="soft">Reason: {reason}</div>}
        </div>
      ),
      sort: ({ operation }) => operation,
      text: ({ operation, reason }) => `${operation} ${operationWords(operation)} ${reason ?? ""}`,
    },
    {
      key: "result",
      header: "Result",
      whole: true,
      cell: ({ result, status, error_code }) => (
        <>
          <Badge color={auditResults[result].color}>{auditResults[result].label}</Badge>{" "}
          <span className="soft" title={error_code ?? undefined}>
            {status}
          </span>
        </>
      ),
      sort: ({ result, status }) => `${result} ${status}`,
      text: ({ result, error_code }) => `${auditResults[result].label} ${error_code ?? ""}`,
    },
    {
      key: "objects",
      header: "Objects",
      cell: ({ objects }) => <Objects objects={objectsOf(objects, names)} />,
      text: ({ objects }) => `${objects.join(" ")} ${objectsOf(objects, names).map(nameOf).join(" ")}`,
    },
    ...(accountColumn === undefined ? [] : [accountColumn]),
    {
      key: "token",
      header: "By",
      cell: ({ token_id: id, person }) => (
        <div className={classes.words}>
          {person !== null && <div>{person.name}</div>}
          <span className={person === null ? undefined : "soft"}>
            {names.get(id)?.name ?? <ShortId id={id} of="token" />}
          </span>
        </div>
      ),
      sort: ({ token_id, person }) => `${person?.name ?? ""} ${tokenName(token_id)}`,
      text: ({ token_id, person }) => `${person?.name ?? ""} ${tokenName(token_id)} ${token_id}`,
    },
    {
      key: "from",
      header: "From",
      cell: ({ address, interface: name }) => (
        <div className={classes.words}>
          {address ?? otherwise} <span className="soft">{name}</span>
        </div>
      ),
      sort: ({ address }) => address,
      text: ({ address, interface: name }) => `${address ?? otherwise} ${name}`,
    },
    { key: "at", header: "When", whole: true, cell: ({ at }) => <Time at={at} />, sort: ({ at }) => Date.parse(at) },
    {
      key: "request",
      header: "Request",
      whole: true,
      cell: ({ request_id: id }) => <ShortId id={id} of="request" />,
      text: ({ request_id }) => request_id,
    },
  ];
}

const nameOf = ({ name, id = "" }: NamedObject): string => name ?? shortId(id);

function Objects({ objects }: { readonly objects: readonly NamedObject[] }) {
  if (objects.length === 0) return <span className="soft">–</span>;
  const more = objects.slice(mostNamed);
  return (
    <div className={classes.objects}>
      {objects.slice(0, mostNamed).map(({ name, id, kind, href }) => (
        <span key={id ?? name} className={classes.object}>
          {name !== undefined && (href === undefined ? <span>{name}</span> : <Link href={href}>{name}</Link>)}
          {id !== undefined && (
            <span className="soft">
              <ShortId id={id} of={kind} />
            </span>
          )}
        </span>
      ))}
      {more.length > 0 && (
        <span className="soft" title={more.map(nameOf).join(", ")}>
          and {more.length} more
        </span>
      )}
    </div>
  );
}

export function operationWords(operation: string): string {
  const words = operation
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/\bssh\b/, "SSH");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
