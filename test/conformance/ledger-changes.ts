// The operations of the ledger that change something, for changes.ts.

import type { Change } from "./changes.ts";
import { textAt } from "./client.ts";
import type { Customer, Scene } from "./scene.ts";

/** `account`: makes one. */
export function ledgerChanges(scene: Scene, account: () => Promise<string>): Record<string, Change> {
  const unknownId = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
  const payment = () => ({ amount_cents: 500, reference: scene.fresh("transfer") });
  const voucher = () => ({ name: scene.fresh("voucher"), amount_cents: 500 });
  const createdVoucher = (field: "id" | "code") => async () =>
    textAt(await scene.control("POST", "/vouchers", voucher()), field);
  let budget = 0;
  const createdBudget = async ({ token }: Customer) =>
    textAt(await scene.control("POST", "/budget-alerts", { amount_cents: ++budget }, { token }), "id");
  const paidAccount = async () => {
    const id = await account();
    await scene.control("POST", `/accounts/${id}/top-ups`, payment());
    return id;
  };
  /** On an account that is made before. */
  const onAccount = (word: string, make: () => Promise<string>, body: () => object): Change => {
    const attempt = (id: string) => ({ path: `/accounts/${id}/${word}`, body: body(), about: id });
    return { good: async () => attempt(await make()), refused: async () => attempt(unknownId) };
  };
  return {
    "POST /accounts/{id}/top-ups": onAccount("top-ups", account, payment),
    "POST /accounts/{id}/refunds": onAccount("refunds", paidAccount, () => ({ ...payment(), reason: "Closed" })),
    "POST /accounts/{id}/adjustments": onAccount("adjustments", account, () => ({ amount_cents: -1, reason: "Typo" })),
    "POST /vouchers": {
      good: async () => ({ path: "/vouchers", body: voucher() }),
      refused: async () => ({ path: "/vouchers", body: { ...voucher(), code: await createdVoucher("code")() } }),
    },
    "DELETE /vouchers/{id}": {
      good: async () => {
        const id = await createdVoucher("id")();
        return { path: `/vouchers/${id}`, about: id };
      },
      refused: async () => ({ path: `/vouchers/${unknownId}`, about: unknownId }),
    },
    "POST /budget-alerts": {
      good: async () => ({ path: "/budget-alerts", body: { amount_cents: ++budget } }),
      refused: async (who) => {
        await createdBudget(who);
        return { path: "/budget-alerts", body: { amount_cents: budget } };
      },
    },
    "DELETE /budget-alerts/{id}": {
      good: async (who) => {
        const id = await createdBudget(who);
        return { path: `/budget-alerts/${id}`, about: id };
      },
      refused: async () => ({ path: `/budget-alerts/${unknownId}`, about: unknownId }),
    },
    // One that succeeds needs a payment provider: src/http/control/payments/top-ups.test.ts.
    "POST /top-ups": { refused: async () => ({ path: "/top-ups", body: { amount_cents: 500 } }) },
    // src/http/control/payments/refunds.test.ts.
    "POST /payments/{id}/refunds": {
      refused: async () => ({ path: `/payments/${unknownId}/refunds`, body: { reason: "Closed" }, about: unknownId }),
    },
    // Likewise: src/http/control/payments/methods.test.ts.
    "POST /payment-methods": { refused: async () => ({ path: "/payment-methods" }) },
    // src/http/control/payments/auto-top-ups.test.ts.
    "PUT /auto-top-up": {
      refused: async () => ({
        path: "/auto-top-up",
        body: { threshold_cents: 100, amount_cents: 500, monthly_cap_cents: 500 },
      }),
    },
    "DELETE /auto-top-up": { good: async () => ({ path: "/auto-top-up" }) },
    "DELETE /payment-methods/{id}": {
      refused: async () => ({ path: `/payment-methods/${unknownId}`, about: unknownId }),
    },
    "POST /vouchers/redeem": {
      good: async () => ({ path: "/vouchers/redeem", body: { code: await createdVoucher("code")() } }),
      refused: async () => ({ path: "/vouchers/redeem", body: { code: "never" } }),
    },
  };
}
