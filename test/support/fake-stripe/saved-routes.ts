// The calls of Stripe's API about saved payment methods that this service makes.

import type { Method } from "./saved.ts";
import { type Asked, type Fields, invalidRequest, listOf, missing, textIn, textsIn } from "./transport.ts";
import type { Session, StripeWorld } from "./world.ts";

/** Undefined: it is none of them. Throws StripeFault. */
export function savedAnswerOf(world: StripeWorld, { method, path, fields }: Asked): object | undefined {
  const { saved } = world;
  const [, , kind = "", id = "", action = ""] = path.replace("checkout/sessions", "checkout-sessions").split("/");
  switch (`${method} ${kind}${id && "/id"}${action && `/${action}`}`) {
    case "POST customers": {
      const created = { created: world.now(), livemode: false, metadata: textsIn(fields, "metadata") };
      const customer = { id: world.name("cus"), object: "customer" as const, ...created };
      saved.customers.push(customer);
      return customer;
    }
    case "GET customers":
      return listOf(path, saved.customers, fields);
    case "POST checkout-sessions":
      return textIn(fields, "mode") === "setup" ? createSetup(world, fields) : undefined;
    case "GET checkout-sessions/id": {
      const session = world.sessions.find((one) => one.id === id);
      return session?.mode === "setup" ? readSetup(world, session, fields) : undefined;
    }
    case "POST checkout-sessions/id/expire": {
      const session = world.sessions.find((one) => one.id === id);
      if (session === undefined) throw missing("checkout.session", id);
      if (session.status !== "open") {
        throw invalidRequest(`Only Checkout Sessions with a status in ["open"] can be expired.`);
      }
      world.expireSession(session);
      return session;
    }
    case "GET payment_methods/id":
      return methodAt(world, id);
    case "POST payment_methods/id/detach": {
      const one = methodAt(world, id);
      if (one.customer === null) {
        throw invalidRequest(
          "The payment method you provided is not attached to a customer so detachment is impossible.",
        );
      }
      saved.detach(one);
      return one;
    }
    default:
      return undefined;
  }
}

function methodAt({ saved }: StripeWorld, id: string): Method {
  const found = saved.methodOf(id);
  if (found === undefined) throw missing("PaymentMethod", id);
  return found;
}

function createSetup(world: StripeWorld, fields: Fields): Session {
  const customer = textIn(fields, "customer") ?? null;
  if (fields.line_items !== undefined)
    throw invalidRequest("You can not pass `line_items` in setup mode.", "line_items");
  if (textIn(fields, "success_url") === undefined) throw invalidRequest("Missing success_url.", "success_url");
  if (textIn(fields, "currency") === undefined) throw invalidRequest("Missing currency.", "currency");
  if (customer !== null && !world.saved.customers.some(({ id }) => id === customer)) {
    throw invalidRequest(`No such customer: '${customer}'`, "customer", "resource_missing");
  }
  const id = world.name("cs");
  const created = world.now();
  const setup = {
    ...{ id: world.name("seti"), object: "setup_intent" as const, created, livemode: false, payment_method: null },
    ...{ metadata: textsIn({ ...(fields.setup_intent_data as Fields | undefined) }, "metadata") }, // it is a group
    status: "requires_payment_method" as const,
  };
  world.saved.setups.push(setup);
  const session: Session = {
    ...{ id, object: "checkout.session", amount_total: null, created, currency: null, livemode: false, customer },
    ...{ client_reference_id: textIn(fields, "client_reference_id") ?? null, expires_at: created + 86_400 },
    ...{ metadata: textsIn(fields, "metadata"), mode: "setup", payment_intent: null, setup_intent: setup.id },
    ...{ payment_status: "no_payment_required", status: "open", success_url: textIn(fields, "success_url") ?? null },
    url: `https://checkout.stripe.com/c/pay/${id}`,
  };
  world.sessions.push(session);
  return session;
}

function readSetup({ saved }: StripeWorld, session: Session, fields: Fields): object {
  if (!Object.values(textsIn(fields, "expand")).includes("setup_intent.payment_method")) return session;
  const setup = saved.setupOf(session);
  return { ...session, setup_intent: { ...setup, payment_method: saved.methodOf(setup.payment_method) ?? null } };
}
