// The account's monthly spend limit: how much of it is spent, and a warning before it is reached. Used by the pages of the
// balance, of usage and of the account.

import { Alert, Progress } from "@mantine/core";
import { useOwnAccount } from "../api/own-account.ts";
import { Figure } from "../shared/facts.tsx";
import { moneyOf } from "../shared/format-money.ts";
import { Icon } from "../shared/icon.tsx";
import { spentShare, warnsFrom } from "./spent-share.ts";

export function SpendLimitFigure() {
  const account = useOwnAccount();
  const { spend_limit_cents: limit, spent_this_month_cents: spent } = account;
  const share = spentShare(account);
  return (
    <Figure
      name="Monthly spend limit"
      value={limit === null ? "None" : moneyOf(limit)}
      beside={
        share === undefined || spent === null ? (
          "Set by your provider"
        ) : (
          <>
            {moneyOf(spent)} spent this month
            <Progress
              value={Math.min(share, 1) * 100}
              size={4}
              mt={6}
              color={share >= 1 ? "red" : share >= warnsFrom ? "amber" : "cobalt"}
              aria-label="Spent this month"
            />
          </>
        )
      }
    />
  );
}

/** Nothing as long as enough is left. */
export function SpendLimitWarning() {
  const account = useOwnAccount();
  const share = spentShare(account);
  if (share === undefined || share < warnsFrom) return null;
  return (
    <Alert
      color={share >= 1 ? "red" : "amber"}
      icon={<Icon name="warning" />}
      title={share >= 1 ? "The monthly spend limit is reached" : "The monthly spend limit is near"}
      mb="lg"
    >
      {share >= 1
        ? "You can't launch instances until the next month (UTC), and yours are terminated. Ask your provider for another limit."
        : "At the limit, you can't launch, and instances are terminated, stopped ones too. Terminate what you don't need, or ask your provider for another limit."}
    </Alert>
  );
}
