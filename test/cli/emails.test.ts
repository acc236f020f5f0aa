// `lessor emails`, and where an account wants its emails, from a script.

import { beforeAll, expect, it } from "vitest";
import { keepEmailSettings } from "../../src/rental/emails/queue.ts";
import { startDemoService } from "../support/demo-service.ts";
import { startMailServer } from "../support/mail-server.ts";
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

const run = (of: string, ...args: string[]) => runLessor(args, { env: { LESSOR_URL: server.url, LESSOR_TOKEN: of } });
const fields = async (...args: string[]) => JSON.parse((await run(token, ...args, "--json")).out) as object;

it("where they go and which are not sent is chosen kind by kind", async () => {
  const change = (...args: string[]) => fields("account", "change", ...args);
  expect(await change("--contact-email", "ops@acme.example")).toMatchObject({ contact_email: "ops@acme.example" });
  expect(await change("--disable-email", "maintenance", "host_lost")).toMatchObject({
    disabled_emails: ["host_lost", "maintenance"],
  });
  expect(await change("--enable-email", "host_lost")).toMatchObject({
    contact_email: "ops@acme.example",
    disabled_emails: ["maintenance"],
  });
  expect((await run(token, "account")).out).toMatch(/Emails to +ops@acme\.example\n *Disabled emails +maintenance/);
  const changed = await run(server.operatorToken, "accounts", "change", "acme", "--contact-email", "none");
  expect(changed.out).toMatch(/Disabled emails +maintenance/);
  expect(changed.out).not.toContain("ops@acme.example");
  expect(await run(token, "account", "change")).toMatchObject({
    code: 2,
    err: expect.stringContaining("Specify what"),
  });
  expect(await run(token, "account", "change", "--disable-email", "news")).toMatchObject({
    code: 2,
    err: expect.stringContaining("is not a kind of email"),
  });
  expect(await run(token, "account", "change", "--contact-email", "no-address")).toMatchObject({ code: 1 });
});

it("operators send a test and see what became of it", async () => {
  const runAs = (...args: string[]) => run(server.operatorToken, "emails", ...args);
  expect(await runAs("test", "ops@acme.example")).toMatchObject({
    code: 5,
    err: expect.stringContaining("email is not configured"),
  });
  expect((await runAs("list")).out).toContain("No emails.");
  await keepEmailSettings(server.db, (await startMailServer()).settings);
  const sent = await runAs("test", "ops@acme.example");
  expect(sent).toMatchObject({ code: 0, out: expect.stringContaining("Queued a test to ops@acme.example.") });
  await server.db.updateTable("emails").set({ tries: 1, last_error: "deferred", last_response: "451 Later" }).execute();
  const listed = (await runAs("list")).out;
  expect(listed).toMatch(/waiting +ops@acme\.example.*1 +The mail server could not accept .*451 Later/);
  expect((await runAs("list", "--status", "failed")).out).toContain("No emails.");
  expect((await runAs("list", "--status", "lost")).code).toBe(2);
  expect((await run(token, "emails", "list")).err).toContain("operator");
});
