// Emails about payments that failed and accounts on hold: one for each cause to each address, to people who may pay too.

import { expect, it } from "vitest";
import { recordEvents } from "../../src/rental/events/record.ts";
import { removeMember } from "../../src/rental/people/members.ts";
import type { Principal } from "../../src/rental/service.ts";
import { emailsOf } from "../support/emails.ts";
import { startMailServer } from "../support/mail-server.ts";
import { personIn } from "../support/people.ts";
import { stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();
const { replica, account, change, queue, soon } = emailsOf(stage);

const failed = ({ accountId }: Principal, id = crypto.randomUUID()) =>
  stage.world.tx((tx) => {
    const data = { payment_id: id, amount_cents: 4990, currency: "usd", failure: "card_declined" };
    return recordEvents(tx, [{ accountId, type: "payment.failed", subjectId: id, data }]);
  });
const held = ({ accountId }: Principal, since: string | null) =>
  stage.world.tx((tx) =>
    recordEvents(tx, [{ accountId, type: "account.hold_changed", subjectId: accountId, data: { held_since: since } }]),
  );

it("tell of a payment that failed once, at the contact address and those of people who may pay", async () => {
  const mail = await startMailServer();
  const emails = await replica(mail.settings);
  const customer = await account();
  for (const role of ["owner", "member", "viewer"] as const)
    await personIn(stage.world, customer.accountId, role, { email: `${role}@customer.example` });
  await personIn(stage.world, customer.accountId, "billing", { email: "Ops@customer.example" });
  const id = crypto.randomUUID();
  for (const _ of [1, 2]) await failed(customer, id);
  await emails.poke();
  const to = mail.mails.map(({ to: all }) => String(all[0]).toLowerCase()).sort();
  expect(to).toEqual(["ops@customer.example", "owner@customer.example"]);
  const [one] = mail.mails;
  expect(one?.subject).toBe("Your payment of 49.90 USD failed");
  expect(one?.text).toContain("- Your payment of 49.90 USD failed: card declined.");
  expect(one?.text).toContain("gets emails about payments");
  expect(one?.text).toContain("--disable-email payment_problem");
});

it("tell of a hold, and not of its end", async () => {
  const mail = await startMailServer();
  const emails = await replica(mail.settings);
  const customer = await account();
  await held(customer, "2026-03-01T12:00:00.000Z");
  await held(customer, "2026-03-01T12:00:00.000Z");
  await held(customer, null);
  await emails.poke();
  expect(mail.mails.map(({ subject }) => subject)).toEqual(["Your account is on hold"]);
  expect(mail.mails[0]?.text).toContain("on hold since 2026-03-01 12:00 UTC, because a payment was disputed.");
});

it("are not sent to accounts that turned them off", async () => {
  const mail = await startMailServer();
  const emails = await replica(mail.settings);
  const customer = await account({ disabledEmails: ["payment_problem"] });
  await personIn(stage.world, customer.accountId, "owner");
  await failed(customer);
  await emails.poke();
  expect([mail.mails, await queue()]).toEqual([[], []]);
});

it("that wait follow the contact address, and people who leave", async () => {
  const mail = await startMailServer();
  const emails = await replica(mail.settings);
  const customer = await account();
  const { accountId } = customer;
  await personIn(stage.world, accountId, "owner", { email: "owner@customer.example" });
  const leaves = await personIn(stage.world, accountId, "billing", { email: "leaves@customer.example" });
  mail.next("defer");
  mail.next("defer");
  mail.next("defer");
  await failed(customer);
  await emails.poke();
  expect(await queue()).toHaveLength(3);
  const by = { by: customer, accountId, through: "operator" } as const;
  await stage.world.tx((tx) =>
    removeMember(tx, { ...by, by: { ...customer, scopes: new Set(["operator"]) } }, leaves.id),
  );
  await change(customer, { contactEmail: "new@customer.example" });
  await soon();
  await emails.poke();
  expect(mail.mails.map(({ to }) => to[0]).sort()).toEqual(["new@customer.example", "owner@customer.example"]);
});
