// What an account has left or owes, and what of it no entry of the ledger has yet. Used by the page of the balance, and by the
// operators' page of an account.

import { Alert, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { warnedWithinSeconds } from "../../../src/rules/payment-terms.ts";
import { Figure, Figures } from "../shared/facts.tsx";
import { moneyOf } from "../shared/format-money.ts";
import { span } from "../shared/format-time.ts";
import { Icon } from "../shared/icon.tsx";
import { Money } from "../shared/money.tsx";
import { Time } from "../shared/time.tsx";

type Balance = Shape<"Balance">;

interface BalanceFiguresProps {
  /** Undefined: loading. */
  readonly balance: Balance | undefined;
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
      <Figure
        name="Lasts for"
        value={balance === undefined ? <Waiting /> : lastsFor(balance)}
        beside={balance === undefined ? "At the current rate" : termsOf(balance)}
      />
      {children}
    </Figures>
  );
}

/** How long the money lasts. */
function lastsFor({ runway, exhausted }: Balance): string {
  if (exhausted !== null) return "Used up";
  return runway === null ? "No end" : span(runway.seconds);
}

/** How the account pays, and what runs. */
function termsOf({ payment_terms: terms, credit_line_cents: line, runway }: Balance): string {
  const title = `${terms.charAt(0).toUpperCase()}${terms.slice(1)}`;
  const bound = line === null ? "" : `, up to ${moneyOf(line)} below zero`;
  return `${title}${bound}${runway === null ? "" : `, ${moneyOf(runway.cents_per_hour)} an hour`}`;
}

/** What happens when the money is used up; nothing as long as there is some. */
export function ExhaustedWarning({ balance }: { readonly balance: Balance | undefined }) {
  const exhausted = balance?.exhausted;
  if (exhausted == null) return null;
  return (
    <Alert color="red" icon={<Icon name="warning" />} title="The balance is used up" mb="lg">
      Running instances are
      {exhausted.stop_at !== null && (
        <>
          {" "}
          stopped <Time at={exhausted.stop_at} />, and
        </>
      )}{" "}
      terminated with their disks <Time at={exhausted.terminate_at} />, unless money arrives before.
    </Alert>
  );
}

/** Before the money is used up, from when on the event balance.low warns; nothing as long as there is enough. */
export function LowBalanceWarning({ balance }: { readonly balance: Balance | undefined }) {
  if (balance === undefined || balance.runway === null || balance.exhausted !== null) return null;
  const { seconds, cents_per_hour: perHour, empty_at: end } = balance.runway;
  const within = warnedWithinSeconds.find((one) => seconds <= one);
  if (within === undefined) return null;
  return (
    <Alert
      color={within === warnedWithinSeconds[0] ? "red" : "amber"}
      icon={<Icon name="warning" />}
      title="The balance is used up soon"
      mb="lg"
    >
      What runs costs {moneyOf(perHour)} an hour, which the balance pays until <Time at={end} />. Then instances are
      stopped or terminated, unless money arrives before.
    </Alert>
  );
}

/** What is not possible while a disputed payment holds the account, and what to do; nothing without a hold. */
export function HoldNote({ balance }: { readonly balance: Balance | undefined }) {
  const since = balance?.held_since;
  if (since == null) return null;
  return (
    <Alert color="amber" icon={<Icon name="warning" />} title="Your account is on hold" mb="lg">
      A payment was disputed at your bank <Time at={since} />. You can't launch or reserve until that is settled. What
      runs stays. If you did not mean to dispute it, tell your bank, and ask your provider to lift the hold.
    </Alert>
  );
}

const Waiting = () => <Skeleton height={20} width={110} my={5} />;
