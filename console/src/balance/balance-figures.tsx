// What an account has left or owes, and what of it no entry of the ledger has yet. Used by the page of the balance, and by the
// operators' page of an account.

import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { Figure, Figures } from "../shared/facts.tsx";
import { Money } from "../shared/money.tsx";
import { Time } from "../shared/time.tsx";

interface BalanceFiguresProps {
  /** Undefined: loading. */
  readonly balance: Shape<"Balance"> | undefined;
  /** A further figure. */
  readonly children?: ReactNode;
}

export function BalanceFigures({ balance, children }: BalanceFiguresProps) {
  const owes = balance?.balance_micro_cents.startsWith("-") === true;
  return (
    <Figures>
      <Figure
        name="Balance"
        value={balance === undefined ? <Waiting /> : <Money cents={balance.balance_cents} />}
        beside={
          balance === undefined ? (
            "Now"
          ) : (
            <>
              {owes ? "Owed" : "Left to spend"}, <Time at={balance.at} />
            </>
          )
        }
      />
      <Figure
        name="Usage not in the ledger yet"
        value={balance === undefined ? <Waiting /> : <Money cents={balance.pending_cents} />}
        beside="Counted in the balance. Usage is posted once a day."
      />
      {children}
    </Figures>
  );
}

const Waiting = () => <Skeleton height={20} width={110} my={5} />;
