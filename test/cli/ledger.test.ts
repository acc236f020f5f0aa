// `lessor balance`, `ledger` and `vouchers`, and what operators record with `lessor accounts`, from a script.

import { beforeAll, expect, it } from "vitest";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { afterFile } from "../support/when-over.ts";
import { runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
let server: RunningServer;
let token: string;
beforeAll(async () => {
  server = await startDemoService(whenOver);
  token = await server.customerToken("acme");
});

const as = (by: string) => (words: readonly string[]) =>
  runLessor(words, { env: { LESSOR_URL: server.url, LESSOR_TOKEN: by } });
const customer = (...words: string[]) => as(token)(words);
const operator = (...words: string[]) => as(server.operatorToken)(words);

it("a payment, a refund and a correction show in the balance and the ledger of the account", async () => {
  expect((await customer("balance")).out).toMatch(/^Balance +\$0\.00$/m);
  expect((await customer("ledger")).out).toContain("No entries.");
  expect(await operator("accounts", "top-up", "acme", "500", "--reference", "RF18 5390")).toMatchObject({
    code: 0,
    out: "Recorded $500.00 for acme. See lessor balance --account acme.\n",
  });
  const again = await operator("accounts", "top-up", "acme", "500", "--reference", "RF18 5390");
  expect(again).toMatchObject({ code: expect.any(Number), err: expect.stringContaining("was recorded before") });
  expect(again.code).not.toBe(0);
  const refund = ["accounts", "refund", "acme", "20.50", "--reference", "R-17", "--reason", "Closed"];
  expect(await operator(...refund)).toMatchObject({ code: 2 });
  expect(await operator(...refund, "--yes")).toMatchObject({ code: 0, out: expect.stringContaining("-$20.50") });
  const adjust = ["accounts", "adjust", "acme", "--reason", "Typo", "--yes"];
  expect(await operator(...adjust, "--take", "0.25")).toMatchObject({
    code: 0,
    out: expect.stringContaining("-$0.25"),
  });
  expect(await operator(...adjust, "--take", "1", "--give", "1")).toMatchObject({ code: 2 });
  expect(await operator(...adjust)).toMatchObject({ code: 2 });

  expect((await customer("balance")).out).toMatch(/^Balance +\$479\.25$/m);
  expect((await operator("balance", "--account", "acme")).out).toMatch(/^Balance +\$479\.25$/m);
  const { out } = await customer("ledger");
  expect(out).toMatch(
    /adjustment +-\$0\.25\d* +\$479\.25 +- +Typo.*refund +-\$20\.50 +\$479\.50 +R-17 +Closed.*top_up +\$500\.00 +\$500\.00 +RF18 5390/s,
  );
  expect((await customer("ledger", "--last", "1", "--json")).out).toContain('"adjustment"');
  const shown = JSON.parse((await customer("balance", "--json")).out) as object;
  expect(shown).toMatchObject({
    balance_micro_cents: "47925000000",
    balance_cents: "47925.000000",
    pending_cents: "0.000000",
  });
  expect((await operator("ledger", "--account", "acme", "--all", "--csv")).out).toMatch(
    /^id,account_id,kind,.*\r\n\d+,[^,]+,adjustment,-25000000,-25\.000000,/s,
  );
});

it("a voucher is shown once, redeemed with its code once, listed and deleted", async () => {
  const created = await operator("vouchers", "create", "Spring 2026", "50", "--uses", "3", "--expires", "90d");
  expect(created).toMatchObject({ code: 0, err: expect.stringContaining("cannot be shown again") });
  const code = created.out.trim();
  expect(await customer("vouchers", "redeem", code.toLowerCase())).toMatchObject({
    code: 0,
    out: "Added $50.00 to your balance. See lessor balance.\n",
  });
  const again = await customer("vouchers", "redeem", code);
  expect(again.code).not.toBe(0);
  expect(again.err).toContain("redeemed this voucher before");
  expect((await customer("vouchers", "redeem", "never")).err).toContain("There is no voucher with this code.");
  const { out } = await operator("vouchers", "list");
  expect(out).toMatch(/Spring 2026 +\$50\.00 +1\/3 /);
  expect(out).not.toContain(code);
  expect(await operator("vouchers", "delete", "Spring 2026", "--yes")).toMatchObject({ code: 0 });
  expect((await operator("vouchers", "list")).out).toContain("No vouchers.");
  expect(await customer("vouchers", "list")).toMatchObject({ code: 4 });
});

it("an account that pays before is told what a launch lacks, and how long its money lasts", async () => {
  expect((await operator("accounts", "create", "stane", "--terms", "prepaid")).code).toBe(0);
  const stane = as(await server.customerToken("stane"));
  expect(await operator("accounts", "change", "stane", "--credit-line", "5")).toMatchObject({
    code: 1,
    err: expect.stringContaining("A prepaid account has no credit line."),
  });
  const launch = ["launch", "cpu_8x_general", "--no-key", "--no-wait"];
  const refused = await stane(launch);
  expect(refused.code, refused.err).not.toBe(0);
  expect(refused.err).toContain("Of the balance of your account, 0 cents are left");
  await operator("accounts", "top-up", "stane", "100", "--reference", "RF19 0001");
  expect(await stane(launch)).toMatchObject({ code: 0 });
  const { out } = await stane(["balance"]);
  expect(out).toMatch(/^Payment +prepaid$/m);
  expect(out).toMatch(/^Lasts until +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, at \$\d+\.\d+ an hour$/m);
  expect((await operator("accounts", "change", "stane", "--terms", "postpaid", "--credit-line", "250")).out).toMatch(
    /^Payment +postpaid, up to \$250\.00 below zero$/m,
  );
});
