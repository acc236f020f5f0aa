// An amount of money, and a price for an hour.

import { moneyOf } from "./format-money.ts";

/** `cents`: whole, or a decimal string. The exact amount is in the title, where the shown one is rounded. */
export function Money({ cents, digits = 2 }: { readonly cents: number | string; readonly digits?: number }) {
  const exact = moneyOf(cents, 8).replace(/0{1,6}$/, "");
  return <span title={exact}>{moneyOf(cents, digits)}</span>;
}

/** A price for an hour. */
export function HourlyPrice({ cents }: { readonly cents: number | string }) {
  return (
    <span>
      <Money cents={cents} />
      <span className="soft"> /h</span>
    </span>
  );
}
