// Emails in the control interface: where an account wants them, and the queue and the test of operators.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";
import { keepEmailSettings } from "../../../rental/emails/queue.ts";
import { emailLimits } from "../../../rules/emails.ts";

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

/** As a replica does that starts with email or without. */
const configured = (isConfigured: boolean) =>
  keepEmailSettings(
    control.world.db,
    isConfigured
      ? {
          ...{ host: "127.0.0.1", port: 1, tls: "none", ca: undefined, login: undefined, consoleUrl: undefined },
          from: { name: "", address: "noreply@acme.example" },
          disabledKinds: [],
        }
      : undefined,
  );

describe("an account", () => {
  it("sets where its emails go and which it does not want, and operators see and change both", async () => {
    const { token, principal } = await control.customer();
    const body = { contact_email: "ops@acme.example", disabled_emails: ["maintenance", "maintenance"] };
    const shown = { contact_email: "ops@acme.example", disabled_emails: ["maintenance"] };
    expect(await control.data("PATCH", "/account", { token, body })).toMatchObject({
      ...shown,
      id: principal.accountId,
      token: { scopes: ["read", "write"] },
    });
    expect(await control.data("PATCH", "/account", { token, body: {} })).toMatchObject(shown);
    const path = `/accounts/${principal.accountId}`;
    expect(await control.data("GET", path)).toMatchObject(shown);
    const changed = { contact_email: null, disabled_emails: [] };
    expect(await control.data("PATCH", path, { body: changed })).toMatchObject(changed);
    expect(await control.data("GET", "/account", { token })).toMatchObject(changed);
    const name = control.world.fresh("a");
    expect(await control.data("POST", "/accounts", { body: { name, ...shown } })).toMatchObject(shown);
  });

  it.each([
    [{ contact_email: "ops@acme.example\r\nBcc: all@victim.example" }, "contact_email"],
    [{ contact_email: "ops@acme.example\n" }, "contact_email"],
    [{ contact_email: "Ops <ops@acme.example>" }, "contact_email"],
    [{ contact_email: "" }, "contact_email"],
    [{ contact_email: `${"a".repeat(300)}@acme.example` }, "contact_email"],
    [{ disabled_emails: ["test"] }, "disabled_emails.0"],
    [{ disabled_emails: ["news"] }, "disabled_emails.0"],
    [{ disabled_emails: null }, "disabled_emails"],
  ])("is refused %j", async (body, field) => {
    const { token } = await control.customer();
    const result = await control.ask("PATCH", "/account", { token, body });
    expect([result.status, fieldsOf(result)]).toEqual([400, [field]]);
  });
});

describe("an operator", () => {
  it("sends a test to an address, or to the contact address of the account, and sees it in the queue", async () => {
    await configured(true);
    const to = "someone@acme.example";
    const made = await control.data("POST", "/emails/test", { body: { to } });
    expect(made).toMatchObject({ kind: "test", recipient: to, status: "waiting", attempts: 0, last_failure: null });
    await control.data("PATCH", "/account", { body: { contact_email: "ops@acme.example" } });
    const other = await control.data("POST", "/emails/test", { body: {} });
    expect(other).toMatchObject({ recipient: "ops@acme.example" });
    await sql`update emails set tries = 1, last_error = 'deferred', last_response = '451 Later' where id = ${idOf(made)}`.execute(
      control.world.db,
    );
    const all = (await control.data("GET", "/emails")) as object[];
    expect(all.map(idOf)).toEqual([idOf(other), idOf(made)]);
    expect(all[1]).toMatchObject({ attempts: 1, last_failure: { error: "deferred", response: "451 Later" } });
    expect((await control.pages("/emails", 1)).flat()).toEqual(all);
    expect(await control.data("GET", "/emails?status=sent")).toEqual([]);
    const { principal } = await control.customer();
    expect(await control.data("GET", `/emails?account_id=${principal.accountId}`)).toEqual([]);
    expect((await control.ask("GET", "/emails?account_id=acme")).status).toBe(400);
  });

  it("is told when no test can be sent: without an address, too many, or where email is not configured", async () => {
    await configured(true);
    await control.data("PATCH", "/account", { body: { contact_email: null } });
    const without = await control.ask("POST", "/emails/test", { body: {} });
    const body = { to: "ops@acme.example" };
    const asked = [];
    for (let n = 0; n <= emailLimits.perAccountPerHour; n += 1) {
      asked.push(await control.ask("POST", "/emails/test", { body }));
    }
    await configured(false);
    const unconfigured = await control.ask("POST", "/emails/test", { body });
    for (const result of [without, asked.at(-1), unconfigured]) {
      expect(result === undefined ? [] : [result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    }
    expect((await control.ask("POST", "/emails/test", { body: { to: "no-address" } })).status).toBe(400);
  });
});
