// The balance and the ledger of an account, for operators, and what they record in it by hand.

import { Button } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { usePages } from "../../api/pages-query.ts";
import { useSession } from "../../api/session-context.tsx";
import { BalanceFigures, ExhaustedWarning } from "../../balance/balance-figures.tsx";
import { LedgerTable, ledgerPage } from "../../balance/ledger-table.tsx";
import { useBalance } from "../../balance/use-balance.ts";
import { CsvButton } from "../../shared/csv-button.tsx";
import { ErrorState } from "../../shared/error-state.tsx";
import { Section } from "../../shared/page.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import classes from "./account-page.module.css";
import { EntryDialog, type KindByHand } from "./entry-dialog.tsx";

const kinds: readonly { readonly kind: KindByHand; readonly label: string }[] = [
  { kind: "top_up", label: "Record payment" },
  { kind: "refund", label: "Record refund" },
  { kind: "adjustment", label: "Adjust" },
];

export function AccountBalance({ account }: { readonly account: Shape<"Account"> }) {
  const { lack } = useSession();
  const { id, name } = account;
  const params = { path: { id } };
  const [recorded, setRecorded] = useState<KindByHand>();
  const balance = useBalance(id, (client) => client.GET("/accounts/{id}/balance", { params }));
  const ledger = usePages(["ledger", id], (client, cursor) =>
    client.GET("/accounts/{id}/ledger", { params: { ...params, query: { limit: ledgerPage, ...cursor } } }),
  );
  const missing = lack("money", "operator");
  return (
    <Section
      title="Balance"
      actions={
        <Permitted to="record entries" missing={missing}>
          <div className={classes.actions}>
            {kinds.map(({ kind, label }) => (
              <Button key={kind} variant="default" onClick={() => setRecorded(kind)}>
                {label}
              </Button>
            ))}
          </div>
        </Permitted>
      }
    >
      <ExhaustedWarning balance={balance.data?.data} />
      {balance.data === undefined && balance.error !== null ? (
        <ErrorState error={balance.error} again={() => void balance.refetch()} />
      ) : (
        <BalanceFigures balance={balance.data?.data} />
      )}
      <div className={classes.ledger}>
        <LedgerTable
          pages={ledger}
          step={10}
          tools={
            <CsvButton
              name={`ledger-${name}.csv`}
              ask={(client) =>
                client.GET("/accounts/{id}/ledger", {
                  params: { ...params, query: { format: "csv" } },
                  parseAs: "blob",
                })
              }
            />
          }
        />
      </div>
      {recorded !== undefined && (
        <EntryDialog account={account} kind={recorded} onClose={() => setRecorded(undefined)} />
      )}
    </Section>
  );
}
