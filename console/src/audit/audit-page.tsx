// The audit log: every requested change, by which token and from where, and its result.

import { useState } from "react";
import { usePages } from "../api/pages-query.ts";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { FilterSelect } from "../shared/filter-select.tsx";
import { Page } from "../shared/page.tsx";
import { AuditTable, type Entry } from "./audit-table.tsx";
import { useObjectNames } from "./object-names.ts";
import { type AuditResult, auditResultChoices } from "./results.ts";

export function AuditPage() {
  const { account } = useSession();
  const [result, setResult] = useState<AuditResult | null>(null);
  const [token, setToken] = useState<string | null>(null);
  const tokens = useRead(["tokens"], (client) => client.GET("/tokens")).data?.data ?? [];
  const names = useObjectNames(false);
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
  return (
    <Page title="Audit log" description="Every requested change, including rejected ones. Newest first.">
      <AuditTable
        pages={pages}
        names={names}
        otherwise="your provider"
        tools={
          <>
            <FilterSelect
              name="Result"
              none="Any result"
              choices={auditResultChoices}
              value={result}
              onChange={setResult}
              width={150}
            />
            <FilterSelect
              name="Token"
              none="Any token"
              choices={tokens.map(({ id, name }) => ({ value: id, label: name }))}
              value={token}
              onChange={setToken}
              searchable
              width={180}
            />
          </>
        }
      />
    </Page>
  );
}
