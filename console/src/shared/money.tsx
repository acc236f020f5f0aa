// An amount of money, and a price for an hour.

import { moneyOf, priceOf } from "./format-money.ts";

/** `cents`: whole, or a decimal string. The exact amount is in the title, where the shown one is rounded. */
export function Money({ cents, digits = 2 }: { readonly cents: number | string; readonly digits?: number }) {
  return <span title={priceOf(cents)}>{moneyOf(cents, digits)}</span>;
}

/** A price for an hour, exactly. */
export function HourlyPrice({ cents }: { readonly cents: number | string }) {
  return (
    <span>
      {priceOf(cents)}
      <span className="soft"> /h</span>
    </span>
  );
}
