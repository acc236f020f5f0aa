// Payment intents for saved methods at Stripe, confirmed while the customer is away. What Stripe guarantees is here: an intent
// is charged at most once, whatever the keys of requests are.

import { type Asked, type Fields, invalidRequest, listOf, missing, StripeFault, textIn, textsIn } from "./transport.ts";
import type { Intent, StripeWorld } from "./world.ts";

/** Undefined: it is no call about them. Throws StripeFault. */
export function chargeAnswerOf(world: StripeWorld, { method, path, fields }: Asked): object | undefined {
  const [, , kind, id = "", action = ""] = path.split("/");
  if (kind !== "payment_intents") return undefined;
  if (id === "") return method === "POST" ? create(world, fields) : listOf(path, world.intents, fields);
  const intent = world.intents.find((one) => one.id === id);
  if (intent === undefined) throw missing("payment_intent", id);
  if (action === "confirm") return confirm(world, intent, fields);
  if (action !== "cancel") return intent;
  if (!/^requires_/.test(intent.status)) throw unexpected(intent);
  intent.status = "canceled";
  world.happened("payment_intent.canceled", intent);
  return intent;
}

const unexpected = ({ status }: Intent) =>
  invalidRequest(`This PaymentIntent has a status of ${status}.`, undefined, "payment_intent_unexpected_state");

function create(world: StripeWorld, fields: Fields): Intent {
  const amount = Number(textIn(fields, "amount"));
  const [currency, customer] = [textIn(fields, "currency"), textIn(fields, "customer")];
  const method = world.saved.methodOf(textIn(fields, "payment_method") ?? null);
  if (!Number.isInteger(amount) || amount <= 0 || currency === undefined) throw invalidRequest("Invalid.", "amount");
  if (method === undefined) throw invalidRequest("No such PaymentMethod", "payment_method", "resource_missing");
  if (method.customer === null || method.customer !== customer) {
    throw invalidRequest("The PaymentMethod does not belong to the Customer.", "payment_method");
  }
  const intent: Intent = {
    ...{ id: world.name("pi"), object: "payment_intent", amount, amount_received: 0, created: world.now(), currency },
    ...{ livemode: false, metadata: textsIn(fields, "metadata"), status: "requires_confirmation" },
    ...{ last_payment_error: null, payment_method: method.id, customer },
  };
  world.intents.push(intent);
  world.happened("payment_intent.created", intent);
  return intent;
}

function confirm(world: StripeWorld, intent: Intent, fields: Fields): Intent {
  if (intent.status !== "requires_confirmation") throw unexpected(intent);
  if (textIn(fields, "off_session") !== "true") throw new Error("the customer is away, and Stripe is not told");
  const method = world.saved.methodOf(intent.payment_method ?? null);
  if (method === undefined || method.customer === null) {
    return decline(world, intent, { code: "payment_method_unactivated" });
  }
  world.charging(intent);
  const card = world.saved.cardOf(method);
  if (card === "declining") return decline(world, intent, { code: "card_declined", decline_code: "generic_decline" });
  if (card === "authenticating") return decline(world, intent, { code: "authentication_required" });
  intent.status = card === "slow" ? "processing" : "succeeded";
  if (card === "good") intent.amount_received = intent.amount;
  world.happened(`payment_intent.${intent.status}`, intent);
  return intent;
}

function decline(world: StripeWorld, intent: Intent, error: { code: string; decline_code?: string }): never {
  const last = { ...error, type: "card_error" as const };
  Object.assign(intent, { status: "requires_payment_method", payment_method: null, last_payment_error: last });
  world.happened("payment_intent.payment_failed", intent);
  throw new StripeFault(402, { ...last, message: "Your card was declined.", payment_intent: { ...intent } });
}
