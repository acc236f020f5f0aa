// `lessor invoices`, from a script: list, show, download, the details of the customer, credit notes and the export.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { issueInvoices, keepInvoicing } from "../../src/rental/invoices/issue.ts";
import { startDemoService } from "../support/demo-service.ts";
import { closedMonth, invoiceSettings } from "../support/invoices.ts";
import { textOfPdf } from "../support/pdf-text.ts";
import type { RunningServer } from "../support/server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";
import { runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
const settings = invoiceSettings();
let server: RunningServer;
let token: string;
beforeAll(async () => {
  server = await startDemoService(whenOver, { config: { invoices: settings } });
  token = await server.customerToken("acme");
});

const as = (by: string) => (words: readonly string[]) =>
  runLessor(words, { env: { LESSOR_URL: server.url, LESSOR_TOKEN: by } });
const customer = (...words: string[]) => as(token)(["invoices", ...words]);
const operator = (...words: string[]) => as(server.operatorToken)(["invoices", ...words]);

it("states the customer, lists, shows, downloads, corrects and exports", async () => {
  expect((await customer("list")).out).toContain("No invoices.");
  const stated = await customer(
    "details",
    "--name",
    "Initech GmbH",
    "--address",
    "Ring 2",
    "80331 München",
    "--country",
    "DE",
  );
  expect(stated.out).toMatch(/^Name +Initech GmbH\nAddress +Ring 2, 80331 München\nCountry +DE$/m);
  expect((await operator("details", "--account", "acme", "--tax-id", "12345")).err).toContain("tax id");
  expect((await operator("details", "--account", "acme")).out).toContain("Initech GmbH");

  const account = (
    await server.db.selectFrom("accounts").select("id").where("name", "=", "acme").executeTakeFirstOrThrow()
  ).id;
  await keepInvoicing(server.db, settings);
  await closedMonth(server.db, "2026-03", [{ account, cost: 11_900_000_000n }]);
  await issueInvoices(server.db, settings);

  const { out } = await customer("list");
  const number = /^(INV-\d{4}-000001) +usage +/m.exec(out)?.[1] ?? expect.fail(out);
  expect(out).toContain("119.00 EUR");
  expect((await customer("list", "--kind", "usage", "--month", "2026-03", "--csv")).out).toContain(`,${number},usage,`);
  expect((await customer("list", "--kind", "bill")).code).toBe(2);
  expect(JSON.parse((await customer("list", "--json")).out)).toMatchObject([{ number, net_cents: 10_000 }]);
  const shown = (await customer("show", number)).out;
  expect(shown).toMatch(/VAT 19 % +19\.00 EUR[\s\S]*h100-1 in north +1\.00 +100\.00 EUR +119\.00 EUR/);

  const file = join(await temporaryDirectory(), "invoice.pdf");
  expect((await customer("download", number, "--output", file)).out).toContain(`Wrote ${file}.`);
  expect(textOfPdf(readFileSync(file))[0]?.join("\n")).toContain("Initech GmbH");
  expect((await customer("download", "INV-9", "-o", `${file}.2`)).code).not.toBe(0);
  expect(existsSync(`${file}.2`)).toBe(false);

  const credit = ["credit", number, "--account", "acme", "--reason", "Outage", "--yes"];
  expect((await customer(...credit)).code).not.toBe(0);
  expect((await operator(...credit, "--line", "one")).code).toBe(2);
  expect((await operator(...credit, "--line", "1=19.50")).out).toMatch(/^Issued CN-\d{4}-000001 of -19\.50 EUR\.$/m);
  expect((await operator(...credit, "--line", "1=99.51")).err).toContain("left that can be taken back");
  expect((await operator("list", "--account", "acme")).out).toMatch(/credit_note .*-19\.50 EUR/);

  expect((await operator("list")).out).toContain("No invoices.");
  expect((await operator("list", "--all")).out).toContain(number);
  expect((await operator("list", "--all", "--csv")).out).toContain(`,${number},usage,`);
  expect((await operator("list", "--all", "--account", "acme")).code).toBe(2);
  expect((await customer("list", "--all")).err).toContain("operator");

  expect((await operator("export", "2026-03")).out).toMatch(/^record,.*\r\ninvoice,/s);
  expect((await customer("export", "2026-03")).code).not.toBe(0);
});
