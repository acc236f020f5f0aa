// The settings of payments (lessor.yaml `payments`, LESSOR_STRIPE_SECRET_KEY, LESSOR_STRIPE_WEBHOOK_SECRET): schema,
// defaults and parsed form. Without them, operators record what arrived. Used by config.ts and file-schema.ts.
//
// Invariant: secrets are sent over TLS or loopback only, and no message repeats one.

import { isIP } from "node:net";
import { type Static, Type } from "typebox";
import { mostEntryCents } from "../rules/ledger.ts";
import { chargebackPolicies, currenciesWithoutCents, type PaymentSettings } from "../rules/payments.ts";
import { ConfigError } from "../settings/error.ts";
import { choice, group, integer, text } from "../settings/schema-parts.ts";
import { settingIn } from "../settings/setting-path.ts";

const secret = () => text("a string (in quotes if it looks like a number)");

export const PaymentsSchema = Type.Optional(
  group({
    currency: Type.String({ pattern: "^[a-z]{3}$", description: "a currency in lower case, such as usd" }),
    return_url: Type.String({ description: "a URL, such as https://cloud.acme.example/balance" }),
    min_amount_cents: integer(1, mostEntryCents),
    max_amount_cents: integer(1, mostEntryCents),
    on_chargeback: choice(chargebackPolicies),
    stripe: group({
      secret_key: secret(),
      webhook_secret: secret(),
      api_url: text("a URL, such as https://api.stripe.com"),
    }),
  }),
);

/** Secrets of the environment, which take precedence. */
export interface PaymentSecrets {
  readonly stripeKey: string | undefined;
  /** Several are separated by commas. */
  readonly stripeWebhook: string | undefined;
}

/** Throws ConfigError. */
export function resolvePayments(
  settings: Static<typeof PaymentsSchema> | undefined,
  secrets: PaymentSecrets,
  fileName: string,
): PaymentSettings | undefined {
  if (settings === undefined) return undefined;
  const { currency, stripe } = settings;
  const named = (...path: string[]) => settingIn(["payments", ...path], fileName);
  if (currenciesWithoutCents.includes(currency)) {
    throw new ConfigError(`${named("currency")} must be a currency whose smallest unit is a hundredth.`);
  }
  const [minAmountCents, maxAmountCents] = [settings.min_amount_cents ?? 500, settings.max_amount_cents ?? 1_000_000];
  if (minAmountCents > maxAmountCents) {
    throw new ConfigError(`${named("min_amount_cents")} must be at most payments.max_amount_cents.`);
  }
  const secretKey = secrets.stripeKey || stripe.secret_key;
  if (secretKey === undefined) {
    throw new ConfigError(`${named("stripe", "secret_key")}, or LESSOR_STRIPE_SECRET_KEY, is required.`);
  }
  const webhookSecrets = (secrets.stripeWebhook || stripe.webhook_secret || "")
    .split(",")
    .flatMap((one) => one.trim() || []);
  return {
    ...{ currency, minAmountCents, maxAmountCents },
    onChargeback: settings.on_chargeback ?? "hold",
    returnUrl: urlOf(settings.return_url, named("return_url")),
    stripe: { secretKey, webhookSecrets, apiUrl: apiUrlOf(stripe.api_url, named("stripe", "api_url")) },
  };
}

function urlOf(given: string, name: string): string {
  if (!/^https?:\/\/[^\s#]+$/.test(given) || !URL.canParse(given)) {
    throw new ConfigError(`${name} must be an http:// or https:// URL.`);
  }
  return given;
}

function apiUrlOf(given = "https://api.stripe.com", name: string): string {
  const { protocol, hostname, origin, href } = new URL(urlOf(given, name));
  const isLoopback = hostname === "localhost" || (isIP(hostname) === 4 && hostname.startsWith("127."));
  if (protocol !== "https:" && !isLoopback) throw new ConfigError(`${name} must be https://: it gets the secret key.`);
  if (href !== `${origin}/`) throw new ConfigError(`${name} must have no path.`);
  return origin;
}

/** Throws ConfigError if invoices and payments are in different currencies: a balance has one. */
export function refuseTwoCurrencies(paid: string | undefined, invoiced: string | undefined, fileName: string): void {
  if (paid === undefined || invoiced === undefined || paid === invoiced.toLowerCase()) return;
  const name = settingIn(["payments", "currency"], fileName);
  throw new ConfigError(`${name} must be the same as invoices.currency (${invoiced}), which is of all balances.`);
}
