// Payments of a world through the fake of Stripe: replicas that check them, and what became of them.

import { sql } from "kysely";
import { Payments } from "../../src/payments/driver.ts";
import type { PaymentGate, PaymentPoint } from "../../src/payments/points.ts";
import { openStripe } from "../../src/payments/stripe/open-stripe.ts";
import { readBalance } from "../../src/rental/ledger/balance.ts";
import { readPayment } from "../../src/rental/payments/payment-store.ts";
import type { Principal } from "../../src/rental/service.ts";
import type { FakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { travel } from "../support/time-travel.ts";
import type { World } from "../support/world.ts";

/** A process that ends at a point: nothing after it happens, not even an error. */
export function killedAt(point: PaymentPoint, when: "before" | "after"): { gate: PaymentGate; died: Promise<void> } {
  const died = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  const gate: PaymentGate = async (passed, pass) => {
    if (passed !== point) return pass();
    if (when === "after") await pass();
    died.resolve();
    return never;
  };
  return { gate, died: died.promise };
}

export function paymentsOf(world: World, stripe: () => FakeStripe) {
  function replica(gate?: PaymentGate, callSeconds?: number): Payments {
    const { settings } = stripe();
    const provider = openStripe(settings, callSeconds);
    return new Payments({ db: world.db, provider, settings, ...(gate && { gate }) });
  }

  /** Checks all that is due. Returns what was not done. */
  async function settle(payments: Payments = replica()): Promise<string[]> {
    const problems: string[] = [];
    for (const driver of [payments, payments.methods]) {
      for (let one = await driver.checkNext(); one !== undefined; one = await driver.checkNext()) {
        if (one.problem !== undefined) problems.push(one.problem);
      }
    }
    return problems;
  }

  return {
    replica,
    settle,
    order: (by: Principal, cents = 5000, payments: Payments = replica()) => payments.order(by, cents),
    status: async (id: string) => (await readPayment(world.db, id)).status,
    payment: (id: string) => readPayment(world.db, id),
    /** In cents. */
    balance: async ({ accountId }: Principal) =>
      Number((await readBalance(world.db, accountId)).microCents) / 1_000_000,
    /** Time passes, here and there. */
    async pass(seconds: number): Promise<void> {
      await travel(world.db, `${seconds} seconds`);
      stripe().world.travel(seconds);
    },
    /** The types of the events of an account's payments, or of another subject, in order. */
    async events({ accountId }: Principal, subject = "payment"): Promise<string[]> {
      const { rows } = await sql<{ type: string }>`
        select type from events where account_id = ${accountId} and type like ${`${subject}.%`} order by position`.execute(
        world.db,
      );
      return rows.map(({ type }) => type.replace(`${subject}.`, ""));
    },
  };
}
