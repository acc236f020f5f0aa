// The account's balance: what is left or owed, now and on each day, the limit of what can be spent, auto top-up, daily
// cost, and the ledger.

import { Button, Group, Skeleton } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { SpendLimitFigure, SpendLimitWarning } from "../account/spend-limit.tsx";
import { usePages } from "../api/pages-query.ts";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { MethodReturn } from "../payment-methods/method-status.tsx";
import { CsvButton } from "../shared/csv-button.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { Icon } from "../shared/icon.tsx";
import { Page, Section } from "../shared/page.tsx";
import { Permitted } from "../shared/permitted.tsx";
import { AutoTopUp } from "../top-ups/auto-top-up.tsx";
import { TopUp } from "../top-ups/top-up.tsx";
import { TopUpStatus } from "../top-ups/top-up-status.tsx";
import { DailyCost } from "../usage/daily-cost.tsx";
import { perDayOf, periodOf } from "../usage/period.ts";
import { BalanceDays } from "./balance-days.tsx";
import { BalanceFigures, ExhaustedWarning, HoldNote, LowBalanceWarning } from "./balance-figures.tsx";
import { LedgerTable, ledgerPage } from "./ledger-table.tsx";
import { RedeemDialog } from "./redeem-dialog.tsx";
import { useBalance } from "./use-balance.ts";

export function BalancePage() {
  const { account, lack } = useSession();
  const [isRedeeming, setRedeeming] = useState(false);
  const cannotPay = lack("money");
  const balance = useBalance("own", (client) => client.GET("/balance"));
  // Undefined: not read yet.
  const topUps = balance.data?.data.top_ups;
  const ledger = usePages(["ledger", "own"], (client, cursor) =>
    client.GET("/ledger", { params: { query: { limit: ledgerPage, ...cursor } } }),
  );
  const period = periodOf("30-days", Date.now());
  const query = { account_id: account.id, ...period };
  const days = useRead(["usage", "days", period], (client) => client.GET("/usage/days", { params: { query } }));
  return (
    <Page
      title="Balance"
      description="What was paid and given, less what was used. Below zero, it is what you owe."
      actions={
        <Permitted to={topUps == null ? "redeem vouchers" : "top up or redeem vouchers"} missing={cannotPay}>
          <Button variant="default" leftSection={<Icon name="coupon" />} onClick={() => setRedeeming(true)}>
            Redeem voucher
          </Button>
          {topUps === undefined && balance.error === null && <Skeleton height={36} width={102} />}
          {topUps != null && <TopUp limits={topUps} />}
        </Permitted>
      }
    >
      <MethodReturn />
      <TopUpStatus />
      <SpendLimitWarning />
      <ExhaustedWarning balance={balance.data?.data} />
      <LowBalanceWarning balance={balance.data?.data} />
      <HoldNote balance={balance.data?.data} />
      {balance.data === undefined && balance.error !== null ? (
        <ErrorState error={balance.error} again={() => void balance.refetch()} />
      ) : (
        <>
          <BalanceFigures balance={balance.data?.data}>
            <SpendLimitFigure />
          </BalanceFigures>
          {topUps !== null && <AutoTopUp limits={topUps} />}
          <Section title="Balance in 30 days">
            <BalanceDays balance={balance.data?.data} ledger={ledger} period={period} />
          </Section>
        </>
      )}
      <Section
        title="Daily cost in 30 days"
        actions={
          <Button component={Link} href="/usage" variant="default">
            Usage
          </Button>
        }
      >
        {days.data === undefined && days.error !== null ? (
          <ErrorState error={days.error} again={() => void days.refetch()} />
        ) : (
          <DailyCost days={days.data && perDayOf(days.data.data, period)} />
        )}
      </Section>
      <Section
        title="Ledger"
        actions={
          <Group gap="xs">
            {topUps != null && (
              <>
                <Button component={Link} href="/payment-methods" variant="default">
                  Payment methods
                </Button>
                <Button component={Link} href="/top-ups" variant="default">
                  Top-ups
                </Button>
              </>
            )}
            <Button component={Link} href="/statements" variant="default">
              Statements
            </Button>
          </Group>
        }
      >
        <LedgerTable
          pages={ledger}
          statementOf={(month) => `/statements/${month}`}
          tools={
            <CsvButton
              name="ledger.csv"
              ask={(client) => client.GET("/ledger", { params: { query: { format: "csv" } }, parseAs: "blob" })}
            />
          }
        />
      </Section>
      {isRedeeming && <RedeemDialog onClose={() => setRedeeming(false)} />}
    </Page>
  );
}
