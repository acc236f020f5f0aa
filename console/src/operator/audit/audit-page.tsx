// The audit log of all accounts, newest first, page by page. `?account=` filters by account.

import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { usePages } from "../../api/pages-query.ts";
import { AuditTable, type Entry } from "../../audit/audit-table.tsx";
import { useObjectNames } from "../../audit/object-names.ts";
import { type AuditResult, auditResultChoices } from "../../audit/results.ts";
import type { Column } from "../../shared/data-table.tsx";
import { FilterSelect } from "../../shared/filter-select.tsx";
import { Page } from "../../shared/page.tsx";
import { AccountName, useAccountNames } from "../account-name.tsx";
import { AccountSelect } from "../account-select.tsx";

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
  const names = useObjectNames(true);
  const nameOf = useAccountNames();
  return (
    <Page
      title="All audit entries"
      description="Every change requested by any account, including rejected ones. Newest first."
    >
      <AuditTable
        pages={pages}
        names={names}
        accountColumn={accountColumn(nameOf)}
        otherwise="–"
        tools={
          <>
            <AccountSelect
              value={account}
              onChange={(chosen) => setSearch(chosen === null ? {} : { account: chosen })}
            />
            <FilterSelect
              name="Result"
              none="Any result"
              choices={auditResultChoices}
              value={result}
              onChange={setResult}
              width={150}
            />
            <TextInput
              aria-label="Object ID or name"
              placeholder="Object ID or name"
              value={object}
              onChange={(event) => setObject(event.currentTarget.value)}
              w={180}
            />
          </>
        }
      />
    </Page>
  );
}

const accountColumn = (nameOf: (id: string) => string): Column<Entry> => ({
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
  text: ({ account_id }) => nameOf(account_id),
});
