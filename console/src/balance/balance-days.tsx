// The balance of the last days as a chart, which is loaded when it is first shown; or the error of what it is drawn from.

import { Suspense, useMemo } from "react";
import type { Shape } from "../../../src/client/client.ts";
import type { Pages } from "../api/pages-query.ts";
import chart from "../shared/day-chart.module.css";
import { ErrorState } from "../shared/error-state.tsx";
import { lazyPart } from "../shared/lazy-part.ts";
import { daysOf, type Period } from "../usage/period.ts";
import { balancePerDay } from "./per-day.ts";

const BalanceChart = lazyPart(async () => (await import("./balance-chart.tsx")).BalanceChart);

interface BalanceDaysProps {
  /** Undefined: loading. */
  readonly balance: Shape<"Balance"> | undefined;
  readonly ledger: Pages<Shape<"LedgerEntry">>;
  readonly period: Period;
}

export function BalanceDays({ balance, ledger, period }: BalanceDaysProps) {
  const { rows, hasMore, error, again } = ledger;
  const { from, to } = period;
  const days = useMemo(() => {
    if (rows === undefined || balance === undefined) return undefined;
    const present = BigInt(balance.balance_micro_cents);
    return balancePerDay(rows, { days: daysOf({ from, to }), isWhole: !hasMore, present });
  }, [rows, balance, hasMore, from, to]);
  if (rows === undefined && error !== null) return <ErrorState error={error} again={again} />;
  const waiting = <div className={chart.chart} aria-busy="true" />;
  return <Suspense fallback={waiting}>{days === undefined ? waiting : <BalanceChart days={days} />}</Suspense>;
}
