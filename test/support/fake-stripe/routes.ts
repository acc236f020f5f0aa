// The calls of Stripe's API that this service makes.

import { chargeAnswerOf } from "./charges.ts";
import { savedAnswerOf } from "./saved-routes.ts";
import { type Asked, type Fields, invalidRequest, listOf, missing, textIn, textsIn } from "./transport.ts";
import { hasWithdrawn, type Refund, type Session, type StripeWorld } from "./world.ts";

/** What is answered with status 200. Throws StripeFault. */
export function answerOf(world: StripeWorld, asked: Asked): object {
  const ofSaved = savedAnswerOf(world, asked) ?? chargeAnswerOf(world, asked);
  if (ofSaved !== undefined) return ofSaved;
  const [, , ...path] = asked.path.split("/");
  const name = `${asked.method} ${path.slice(0, path[0] === "checkout" ? 2 : 1).join("/")}`;
  const id = path[path[0] === "checkout" ? 2 : 1];
  switch (name) {
    case "POST checkout/sessions":
      return createSession(world, asked.fields);
    case "GET checkout/sessions":
      return id === undefined ? listOf(asked.path, world.sessions, asked.fields) : readSession(world, id, asked.fields);
    case "GET events": {
      const types = Object.values(textsIn(asked.fields, "types"));
      if (types.length > 20) throw invalidRequest("You may pass up to 20 types.", "types");
      const fitting = world.events.filter(({ type }) => types.length === 0 || types.includes(type));
      return listOf(asked.path, fitting, asked.fields);
    }
    case "POST refunds":
      return createRefund(world, asked.fields);
    case "GET refunds":
    case "GET disputes": {
      const intent = textIn(asked.fields, "payment_intent");
      const all = path[0] === "refunds" ? world.refunds : world.disputes;
      return listOf(
        asked.path,
        all.filter(({ payment_intent: of }) => of === intent),
        asked.fields,
      );
    }
    default:
      throw missing("route", `${asked.method} ${asked.path}`);
  }
}

function createSession(world: StripeWorld, fields: Fields): Session {
  const item = ["line_items", "0"] as const;
  const amount = Number(textIn(fields, ...item, "price_data", "unit_amount"));
  const currency = textIn(fields, ...item, "price_data", "currency");
  if (textIn(fields, "mode") !== "payment") throw invalidRequest("Invalid mode.", "mode");
  if (!Number.isInteger(amount) || currency === undefined) throw invalidRequest("Missing line_items.", "line_items");
  if (amount > 99_999_999) throw invalidRequest("Amount must be no more than 999,999.99", "amount", "amount_too_large");
  if (textIn(fields, "success_url") === undefined) throw invalidRequest("Missing success_url.", "success_url");
  const id = world.name("cs");
  const created = world.now();
  const session: Session = {
    ...{ id, object: "checkout.session", amount_total: amount * Number(textIn(fields, ...item, "quantity") ?? 1) },
    ...{ client_reference_id: textIn(fields, "client_reference_id") ?? null, created, currency, livemode: false },
    ...{ customer: null, setup_intent: null },
    ...{ expires_at: created + 86_400, metadata: textsIn(fields, "metadata"), mode: "payment", payment_intent: null },
    ...{ payment_status: "unpaid", status: "open", success_url: textIn(fields, "success_url") ?? null },
    url: `https://checkout.stripe.com/c/pay/${id}`,
  };
  world.sessions.push(session);
  return session;
}

function createRefund(world: StripeWorld, fields: Fields): Refund {
  const id = textIn(fields, "payment_intent") ?? "";
  const intent = world.intents.find((one) => one.id === id);
  if (intent === undefined) throw missing("payment_intent", id);
  if (intent.status !== "succeeded") throw invalidRequest("This PaymentIntent does not have a successful charge.");
  if (world.disputes.some((one) => one.payment_intent === id && hasWithdrawn(one)))
    throw invalidRequest("The charge has been charged back.", undefined, "charge_disputed");
  const left = world.leftOf(intent);
  if (left <= 0) throw invalidRequest("The charge has already been refunded.", undefined, "charge_already_refunded");
  const amount = Number(textIn(fields, "amount") ?? left);
  if (!Number.isInteger(amount) || amount <= 0) throw invalidRequest("Invalid positive integer", "amount");
  if (amount > left) throw invalidRequest("Refund amount is greater than unrefunded amount on charge", "amount");
  return world.makeRefund(intent, amount, textsIn(fields, "metadata"));
}

function readSession(world: StripeWorld, id: string, fields: Fields): object {
  const session = world.sessions.find((one) => one.id === id);
  if (session === undefined) throw missing("checkout.session", id);
  const isExpanded = Object.values(textsIn(fields, "expand")).includes("payment_intent");
  const intent = session.payment_intent !== null && isExpanded ? world.intentOf(session) : session.payment_intent;
  return { ...session, payment_intent: intent };
}
