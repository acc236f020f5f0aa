// Opens the configured payment provider. Used by composition.ts.

import type { Database } from "../database/connect.ts";
import type { PaymentSettings } from "../rules/payments.ts";
import { Payments } from "./driver.ts";
import type { PaymentGate } from "./points.ts";

/** Undefined without settings. Only those who take payments load the library of their provider. */
export async function openPayments(
  settings: PaymentSettings | undefined,
  db: Database,
  gate: PaymentGate | undefined,
): Promise<Payments | undefined> {
  if (settings === undefined) return undefined;
  const { openStripe } = await import("./stripe/open-stripe.ts");
  return new Payments({ db, provider: openStripe(settings), settings, ...(gate && { gate }) });
}
