// Drives an automatic payment to what it is at the provider: prepares the charge, notes its id, and makes it. Used by driver.ts,
// which has the payment to itself.
//
// Invariants: only a charge whose id is committed is made, and the provider makes it at most once, so of processes that die, or
// come back late, none charges twice. One that was not made in time, or is not wanted any more, is canceled there before the
// payment fails here.

import type { Database } from "../database/connect.ts";
import { chargedOf, notePrepared } from "../rental/auto-top-ups/order.ts";
import type { PaymentReport } from "../rental/payments/apply.ts";
import type { ClaimedPayment } from "../rental/payments/payment-store.ts";
import { ownFailures } from "../rules/payments.ts";
import type { ChargeOrder, ChargeProvider } from "./charge-provider.ts";
import type { PaymentGate } from "./points.ts";
import { ProviderError } from "./provider.ts";
import { isNew } from "./times.ts";

export interface ChargesParts {
  readonly db: Database;
  readonly provider: ChargeProvider;
  readonly gate: PaymentGate;
}

/** What the provider says; or why nothing was charged. Throws ProviderError. */
export async function chargeOf(parts: ChargesParts, claimed: ClaimedPayment): Promise<PaymentReport | string> {
  const { db, provider, gate } = parts;
  const { providerPaymentId, status, tries } = claimed;
  const read = (id: string) => gate("chargeRead", () => provider.read(claimed, id));
  const before = providerPaymentId === null ? undefined : await read(providerPaymentId);
  if (before !== undefined) return before;
  // Given up before an id was noted, so it was never made.
  if (status === "failed" && providerPaymentId === null) return ownFailures.unreachable;
  if (status !== "created") throw new Error("BUG: a payment that was charged is only prepared");
  const charged = await chargedOf(db, claimed);
  const isTimely = isNew(claimed);
  const order = charged && isTimely ? { ...claimed, ...charged } : undefined;
  const id = providerPaymentId ?? (await prepared(parts, claimed, order));
  if (id === undefined || id === ownFailures.rejected) return id ?? notCharged(isTimely);
  if (order !== undefined) await gate("chargeConfirmed", () => provider.confirm(order, id, tries));
  const made = order && (await read(id));
  if (made !== undefined) return made;
  await gate("chargeCanceled", () => provider.cancel(id));
  const canceled = await read(id);
  if (canceled === undefined) throw new ProviderError("unanswered", { code: "not_canceled" });
  if (canceled.status !== "canceled") return canceled;
  return order === undefined ? notCharged(isTimely) : ownFailures.rejected;
}

const notCharged = (isTimely: boolean) => (isTimely ? ownFailures.withdrawn : ownFailures.unreachable);

/** The noted id of what is prepared; `rejected`: the provider refused to. Undefined: there is none, and none is ordered. */
async function prepared(
  { db, provider, gate }: ChargesParts,
  claimed: ClaimedPayment,
  order: ChargeOrder | undefined,
): Promise<string | undefined> {
  let id: string | undefined;
  if (claimed.tries > 0 || order === undefined) id = await gate("chargeFound", () => provider.find(claimed));
  if (id === undefined && order !== undefined) {
    try {
      id = await gate("chargePrepared", () => provider.prepare(order, claimed.tries));
    } catch (error) {
      if (error instanceof ProviderError && error.kind === "refused") return ownFailures.rejected;
      throw error;
    }
  }
  if (id === undefined) return undefined;
  const found = id;
  const isNoted = await gate("chargeNoted", () => notePrepared(db, claimed, found));
  if (!isNoted) throw new ProviderError("unanswered", { code: "claimed_by_another" });
  return found;
}
