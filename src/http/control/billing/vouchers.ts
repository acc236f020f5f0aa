// Control interface: vouchers. Operators create, list and delete them; an account redeems one by its code.

import { Type } from "typebox";
import { RentalError } from "../../../rental/errors.ts";
import * as vouchers from "../../../rental/ledger/vouchers.ts";
import { mostEntryCents, wrongVouchersPerHour } from "../../../rules/ledger.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { givenMoment, parseMoment } from "../../api/timestamps.ts";
import { Windows } from "../../edge/windows.ts";
import { HttpError } from "../../errors/api-error.ts";
import * as field from "../fields.ts";
import { entryView, examples, LedgerEntry } from "./ledger-view.ts";

const shown = {
  id: field.uuid(),
  name: field.name("Spring 2026"),
  amount_cents: Type.Integer({ description: "For each account that redeems it." }),
  max_uses: Type.Integer({ description: "How many accounts can redeem it." }),
  uses: Type.Integer({ description: "How many have." }),
  expires_at: field.orNull(field.timestamp(), "From then on it cannot be redeemed; null: it does not expire."),
  created_at: field.timestamp(),
};
const Voucher = Type.Object(shown, { title: "Voucher" });
const MadeVoucher = Type.Object(
  { ...shown, code: Type.String({ description: "Only this response has it." }) },
  { title: "MadeVoucher" },
);

const CreateVoucher = Type.Object({
  name: field.label("Spring 2026"),
  amount_cents: field.whole(1, mostEntryCents, "What it is worth to each account that redeems it."),
  max_uses: Type.Optional(field.whole(1, 1_000_000, "How many accounts can redeem it. Default: 1.")),
  expires_at: Type.Optional(field.orNull(givenMoment("From then on it cannot be redeemed."), "Default: null, never.")),
  code: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9][A-Za-z0-9-]{6,62}[A-Za-z0-9]$",
      description:
        "8 to 64 letters, digits and dashes; neither dashes nor case count. Default: 20 random letters, which cannot be guessed.",
      examples: ["SPRING-2026-GPU"],
    }),
  ),
});

const tag = "Vouchers";
const example = {
  ...{ id: "0198c5d3-5c52-7c4e-9d0c-0a3c5f1f2b70", name: "Spring 2026", amountCents: 5000, maxUses: 100, uses: 0 },
  ...{ expiresAt: new Date("2026-06-30T23:59:59.000Z"), createdAt: new Date("2026-03-01T12:00:00.000Z") },
};

export function voucherRoutes(api: Api): void {
  // Codes of operators' own can be guessed. Each replica counts for itself.
  const wrongCodes = new Windows({ most: wrongVouchersPerHour, windowMs: 3_600_000 });

  api.get(
    "/vouchers",
    {
      id: "listVouchers",
      tag,
      summary: "List vouchers",
      description: "All vouchers without their codes, oldest first, including expired and used ones.",
      scope: "operator",
      query: Type.Object(pageQuery),
      answer: field.many(Voucher),
      example: { answer: { data: [view(example)] } },
    },
    async ({ db, page }) => ({ data: (await page(byId, (window) => vouchers.listVouchers(db, window))).map(view) }),
  );

  api.post(
    "/vouchers",
    {
      id: "createVoucher",
      tag,
      summary: "Create a voucher",
      right: "money",
      description: "Its code is worth money to each account that redeems it. Only this response has `code`.",
      scope: "operator",
      body: CreateVoucher,
      answer: field.one(MadeVoucher),
      example: {
        request: { name: "Spring 2026", amount_cents: 5000, max_uses: 100, expires_at: "2026-06-30T23:59:59.000Z" },
        answer: { data: { ...view(example), code: "7KQ2M-X9TRA-4W7EH-PDN3V" } },
      },
      errors: ["duplicate"],
    },
    async ({ tx, body }) => {
      const { code, ...made } = await vouchers.createVoucher(tx, {
        name: body.name,
        amountCents: body.amount_cents,
        maxUses: body.max_uses ?? 1,
        expiresAt: body.expires_at == null ? null : parseMoment("expires_at", body.expires_at),
        code: body.code,
      });
      return { data: { ...view(made), code } };
    },
  );

  api.delete(
    "/vouchers/:id",
    {
      id: "deleteVoucher",
      tag,
      summary: "Delete a voucher",
      right: "money",
      description: "It can no longer be redeemed; what was redeemed stays.",
      scope: "operator",
      params: field.IdParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, params }) => {
      await vouchers.deleteVoucher(tx, params.id);
      return { data: {} };
    },
  );

  api.post(
    "/vouchers/redeem",
    {
      id: "redeemVoucher",
      tag,
      summary: "Redeem a voucher",
      right: "money",
      description:
        "Adds what it is worth to your balance, once for an account. One that expired or is used up is rejected (409).",
      body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 128, examples: ["7KQ2M-X9TRA-4W7EH-PDN3V"] }) }),
      answer: field.one(LedgerEntry),
      example: {
        request: { code: "7KQ2M-X9TRA-4W7EH-PDN3V" },
        answer: {
          data: examples.entry({
            ...{ kind: "voucher", amountMicroCents: 5_000_000_000n, balanceMicroCents: 5_000_000_000n },
            reference: "Spring 2026",
          }),
        },
      },
      errors: ["unknown-name", "conflict"],
      before: async ({ principal }) => {
        const { remaining, seconds } = wrongCodes.look(principal.accountId);
        if (remaining === 0) throw new HttpError("rate-limited", { limit: "sign-ins", retryAfterSeconds: seconds });
      },
    },
    async ({ tx, principal, body }) => {
      try {
        return { data: entryView(await vouchers.redeemVoucher(tx, principal, body.code)) };
      } catch (error) {
        if (error instanceof RentalError && error.kind === "unknown-name") wrongCodes.count(principal.accountId);
        throw error;
      }
    },
  );
}

function view(voucher: vouchers.Voucher) {
  return {
    id: voucher.id,
    name: voucher.name,
    amount_cents: voucher.amountCents,
    max_uses: voucher.maxUses,
    uses: voucher.uses,
    expires_at: voucher.expiresAt?.toISOString() ?? null,
    created_at: voucher.createdAt.toISOString(),
  };
}
