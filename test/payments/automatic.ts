// Automatic top-ups of a world through the fake of Stripe: accounts with a saved card, what they spend, and what was charged.

import { orderAutomatic } from "../../src/rental/auto-top-ups/order.ts";
import { type AutoTopUpOrder, putAutoTopUp, readAutoTopUp } from "../../src/rental/auto-top-ups/store.ts";
import { postByHand } from "../../src/rental/ledger/by-hand.ts";
import { hintMethods } from "../../src/rental/payment-methods/checks.ts";
import type { Principal } from "../../src/rental/service.ts";
import type { FakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import type { Card } from "../support/fake-stripe/saved.ts";
import type { Intent } from "../support/fake-stripe/world.ts";
import type { World } from "../support/world.ts";
import { paymentsOf } from "./fixture.ts";

export function automaticOf(world: World, stripe: () => FakeStripe) {
  const fixture = paymentsOf(world, stripe);
  /** Of charges of saved methods, in order. */
  const intents = ({ accountId }: Principal): Intent[] =>
    stripe().world.intents.filter(
      ({ metadata, payment_method: method }) => metadata.lessor_account === accountId && method !== undefined,
    );
  return {
    ...fixture,
    intents,
    /** In cents, that arrived. */
    charged: (by: Principal) => intents(by).reduce((sum, { amount_received: cents }) => sum + cents, 0),
    /** Orders and charges what is due, as the reconciler does. */
    async tick(payments = fixture.replica()): Promise<string[]> {
      await payments.orderAutomatic();
      return fixture.settle(payments);
    },
    /** Orders without looking who needs it. */
    orderFor: ({ accountId }: Principal) =>
      world.tx((tx) => orderAutomatic(tx, accountId, { provider: "stripe", currency: "usd" })),
    /** Returns its id. */
    async save(by: Principal, card: Card = "good"): Promise<string> {
      const id = await fixture.replica().methods.order(by);
      stripe().world.saved.enter(id, card);
      await world.tx((tx) => hintMethods(tx, [{ id }]));
      await fixture.settle();
      return id;
    },
    turnOn: (by: Principal, order: Partial<AutoTopUpOrder> = {}) =>
      world.tx((tx) =>
        putAutoTopUp(
          tx,
          by.accountId,
          { thresholdCents: 1000, amountCents: 5000, monthlyCapCents: 20_000, paymentMethodId: null, ...order },
          stripe().settings,
        ),
      ),
    autoTopUp: ({ accountId }: Principal) => readAutoTopUp(world.db, accountId),
    /** As usage does. */
    spend: (by: Principal, cents: number) =>
      world.tx((tx) =>
        postByHand(tx, by, { accountId: by.accountId, kind: "adjustment", cents: -cents, reason: "Used" }),
      ),
  };
}
