// `lessor budget-alerts` from a script.

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

const alerts = (...words: string[]) =>
  runLessor(["budget-alerts", ...words], { env: { LESSOR_URL: server.url, LESSOR_TOKEN: token } });

it("they are created, listed and deleted by their amount", async () => {
  expect((await alerts("list")).out).toContain("No budget alerts.");
  for (const amount of ["400", "$40.50", "40"]) await alerts("create", amount);
  expect((await alerts("create", "400", "--json")).err).toContain("Your account has a budget alert of this amount.");
  expect((await alerts("create", "x")).code).toBe(2);
  expect((await alerts("create", "0.05")).out).toBe("Created budget alert $0.05.\n");
  expect((await alerts("list")).out).toMatch(/AMOUNT.*\$0\.05.*\$40\.00.*\$40\.50.*\$400\.00/s);
  // Exactly that one, not those that begin so.
  expect((await alerts("delete", "40")).out).toBe("Deleted budget alert $40.00.\n");
  expect((await alerts("delete", "$40.50")).out).toBe("Deleted budget alert $40.50.\n");
  expect((await alerts("delete", "4")).code).toBe(3);
  const left = JSON.parse((await alerts("list", "--json")).out) as { id: string; amount_cents: number }[];
  expect(left).toMatchObject([{ amount_cents: 5, reached_at: null }, { amount_cents: 40_000 }]);
  expect((await alerts("delete", left[1]?.id ?? "")).out).toBe("Deleted budget alert $400.00.\n");
});
