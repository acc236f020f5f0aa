// What Stripe knows of saved payment methods: customers, Checkout in setup mode, and the cards that customers entered there.
// Objects as in world.ts.

import type Stripe from "stripe";
import type { Session, StripeWorld } from "./world.ts";

export type Customer = Pick<Stripe.Customer, "id" | "object" | "created" | "livemode" | "metadata">;
export type Card = "good" | "declining" | "authenticating" | "slow";
export type Method = Pick<Stripe.PaymentMethod, "id" | "object" | "created" | "livemode" | "type"> & {
  customer: string | null;
  readonly card: Pick<Stripe.PaymentMethod.Card, "brand" | "last4" | "exp_month" | "exp_year">;
};
export type SetupIntent = Pick<Stripe.SetupIntent, "id" | "object" | "created" | "livemode" | "metadata" | "status"> & {
  payment_method: string | null;
};

/** As Stripe's cards for tests: what becomes of charges while the customer is away. */
const last4: Readonly<Record<Card, string>> = {
  ...{ good: "4242", declining: "0341", authenticating: "3184", slow: "0077" },
};

export class SavedMethods {
  readonly customers: Customer[] = [];
  readonly methods: Method[] = [];
  readonly setups: SetupIntent[] = [];
  readonly #world: StripeWorld;

  constructor(world: StripeWorld) {
    this.#world = world;
  }

  get all(): readonly { created: number }[] {
    return [...this.customers, ...this.methods, ...this.setups];
  }

  /** The customer enters a card at the page of one of our methods. Undefined: the page is over. */
  enter(methodId: string, card: Card = "good"): Method | undefined {
    const session = this.#world.of(methodId);
    const setup = this.setupOf(session);
    if (session.status !== "open" || session.customer === null) return undefined;
    const method: Method = {
      ...{ id: this.#world.name("pm"), object: "payment_method", created: this.#world.now(), livemode: false },
      ...{ type: "card", customer: String(session.customer) },
      card: { brand: "visa", last4: last4[card], exp_month: 8, exp_year: 2030 },
    };
    this.methods.push(method);
    Object.assign(setup, { status: "succeeded", payment_method: method.id });
    Object.assign(session, { status: "complete", url: null });
    this.#world.happened("payment_method.attached", method);
    this.#world.happened("setup_intent.succeeded", setup);
    this.#world.happened("checkout.session.completed", session);
    return method;
  }

  /** The bank renews the card. */
  renew(method: Method): void {
    method.card.exp_year += 4;
    this.#world.happened("payment_method.automatically_updated", method);
  }

  detach(method: Method): void {
    method.customer = null;
    this.#world.happened("payment_method.detached", method);
  }

  /** In the dashboard. */
  removeCustomer(id: string): void {
    const at = this.customers.findIndex((one) => one.id === id);
    if (at < 0) return;
    this.#world.happened("customer.deleted", this.customers.splice(at, 1)[0] ?? {});
    for (const method of this.methods) if (method.customer === id) method.customer = null;
  }

  methodOf(id: string | null): Method | undefined {
    return this.methods.find((one) => one.id === id);
  }

  cardOf(method: Method): Card {
    return (Object.keys(last4) as Card[]).find((card) => last4[card] === method.card.last4) ?? "good"; // its keys
  }

  setupOf({ id, setup_intent: setup }: Session): SetupIntent {
    const found = this.setups.find((one) => one.id === setup);
    if (found === undefined) throw new Error(`the session ${id} has no setup intent`);
    return found;
  }
}
