// Control interface: budget alerts of an account.

import { Type } from "typebox";
import {
  createBudget,
  deleteBudget,
  listBudgets,
  type BudgetAlert as StoredAlert,
} from "../../../rental/limits/budget-alerts.ts";
import { mostBudgetAlerts, mostSpendLimitCents } from "../../../rules/account-limits.ts";
import type { Api } from "../../api/operations.ts";
import * as field from "../fields.ts";

const tag = "Usage";

const BudgetAlert = Type.Object(
  {
    id: field.uuid(),
    amount_cents: Type.Integer(),
    reached_at: field.orNull(field.timestamp(), "This month. Null: it is not reached."),
    created_at: field.timestamp(),
  },
  { title: "BudgetAlert" },
);

function view({ id, amountCents, reachedAt, createdAt }: StoredAlert) {
  const reached = reachedAt?.toISOString() ?? null;
  return { id, amount_cents: amountCents, reached_at: reached, created_at: createdAt.toISOString() };
}

const sample = view({
  ...{ id: "0198c5d3-5c52-7c4e-9d0c-0a3c5f1f2b72", amountCents: 40_000, reachedAt: null },
  createdAt: new Date("2026-03-01T12:00:00.000Z"),
});

export function budgetAlertRoutes(api: Api): void {
  api.get(
    "/budget-alerts",
    {
      id: "listBudgetAlerts",
      tag,
      summary: "List your budget alerts",
      description: "Smallest amount first.",
      answer: field.many(BudgetAlert),
      example: { answer: { data: [sample] } },
    },
    async ({ db, principal: { accountId } }) => ({ data: (await listBudgets(db, accountId)).map(view) }),
  );

  api.post(
    "/budget-alerts",
    {
      id: "createBudgetAlert",
      tag,
      summary: "Create a budget alert",
      right: "limits",
      description: `Once in each month (UTC) in which your usage reaches the amount, you get \`budget.reached\` and an email. At most ${mostBudgetAlerts} for an account, each of another amount.`,
      body: Type.Object({ amount_cents: field.whole(1, mostSpendLimitCents) }),
      answer: field.one(BudgetAlert),
      example: { request: { amount_cents: 40_000 }, answer: { data: sample } },
      errors: ["duplicate", "quota-exceeded"],
    },
    async ({ tx, principal: { accountId }, body }) => ({
      data: view(await createBudget(tx, accountId, body.amount_cents)),
    }),
  );

  api.delete(
    "/budget-alerts/:id",
    {
      id: "deleteBudgetAlert",
      tag,
      summary: "Delete a budget alert",
      right: "limits",
      description: "It tells no more.",
      params: field.IdParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, principal: { accountId }, params }) => {
      await deleteBudget(tx, accountId, params.id);
      return { data: {} };
    },
  );
}
