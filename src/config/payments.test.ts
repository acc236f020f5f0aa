// The settings of payments: without them none are taken, secrets come from files too, and no error repeats one.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { loadConfig } from "../config.ts";

const key = "sk_live_canary";
const environment = { LESSOR_STRIPE_SECRET_KEY: key };

async function payments(yaml: string, env: Record<string, string> = {}) {
  const cwd = await temporaryDirectory();
  writeFileSync(join(cwd, "lessor.yaml"), yaml);
  writeFileSync(join(cwd, "key"), `${key}\n`);
  writeFileSync(join(cwd, "secrets"), "whsec_1\nwhsec_2\n");
  return loadConfig({ env, cwd }).payments;
}

const least = "currency: usd, return_url: https://acme.example/console, stripe: {}";

describe("payments", () => {
  it("are not taken without settings", async () => {
    expect(await payments("port: 1", environment)).toBeUndefined();
  });

  it("have limits of amounts, and secrets of the environment or of files", async () => {
    expect(await payments(`payments: { ${least} }`, environment)).toEqual({
      ...{ currency: "usd", minAmountCents: 500, maxAmountCents: 1_000_000, returnUrl: "https://acme.example/console" },
      onChargeback: "hold",
      stripe: { secretKey: key, webhookSecrets: [], apiUrl: "https://api.stripe.com" },
    });
    const files = { LESSOR_STRIPE_SECRET_KEY_FILE: "key", LESSOR_STRIPE_WEBHOOK_SECRET_FILE: "secrets" };
    expect(await payments(`payments: { ${least} }`, files)).toMatchObject({
      stripe: { secretKey: key, webhookSecrets: ["whsec_1", "whsec_2"] },
    });
    const local = "stripe: { secret_key: sk_1, webhook_secret: whsec_1, api_url: http://127.0.0.1:12111/ }";
    const own = `currency: eur, return_url: https://acme.example, min_amount_cents: 1, max_amount_cents: 2, on_chargeback: none, ${local}`;
    expect(await payments(`payments: { ${own} }`)).toMatchObject({
      ...{ minAmountCents: 1, maxAmountCents: 2, onChargeback: "none" },
      stripe: { secretKey: "sk_1", webhookSecrets: ["whsec_1"], apiUrl: "http://127.0.0.1:12111" },
    });
  });

  it.each([
    ["currency: jpy, return_url: https://acme.example, stripe: {}", "whose smallest unit is a hundredth"],
    ["currency: USD, return_url: https://acme.example, stripe: {}", "payments.currency in lessor.yaml must be"],
    [
      "currency: usd, return_url: acme, stripe: {}",
      "payments.return_url in lessor.yaml must be an http:// or https://",
    ],
    ["currency: usd, return_url: https://acme.example", "payments.stripe in lessor.yaml is required"],
    [`${least}, min_amount_cents: 5, max_amount_cents: 4`, "must be at most payments.max_amount_cents"],
    [`${least.replace("{}", "{ api_url: http://stripe.example }")}`, "must be https://: it gets the secret key"],
    [`${least.replace("{}", "{ api_url: https://stripe.example/v1 }")}`, "must have no path"],
  ])("%s is rejected", async (settings, message) => {
    const attempt = payments(`payments: { ${settings} }`, environment);
    await expect(attempt).rejects.toThrow(message);
    await expect(attempt).rejects.not.toThrow(key);
  });

  it("have the currency of invoices", async () => {
    const both = (currency: string) =>
      payments(`payments: { ${least} }\ninvoices: { seller: { name: Acme }, currency: ${currency} }`, environment);
    expect(await both("USD")).toMatchObject({ currency: "usd" });
    await expect(both("EUR")).rejects.toThrow("must be the same as invoices.currency (EUR)");
  });

  it("need a secret key", async () => {
    await expect(payments(`payments: { ${least} }`)).rejects.toThrow("LESSOR_STRIPE_SECRET_KEY, is required");
  });
});
