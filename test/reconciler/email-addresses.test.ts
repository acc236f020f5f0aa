// Emails that wait while the contact address of their account changes, or what it turns off.

import { describe, expect, it } from "vitest";
import { emailsOf } from "../support/emails.ts";
import { startMailServer } from "../support/mail-server.ts";
import { stageOfFile } from "../support/stage.ts";

const { replica, account, change, lose, queue, soon } = emailsOf(stageOfFile());

describe("an email that waits while its account changes", () => {
  it("goes to the new address, also if it is being sent to the old one", async () => {
    const mail = await startMailServer();
    const principal = await account();
    const emails = await replica(mail.settings, {
      gate: async (point, pass) => {
        const isFirst = point === "emailSettled" && mail.mails.length === 1;
        if (isFirst) await change(principal, { contactEmail: "new@customer.example" });
        return pass();
      },
    });
    mail.next("accept", "defer");
    for (const name of ["a", "b"]) await lose(principal, name);
    await emails.poke();
    await soon();
    await emails.poke();
    const [first, ...others] = mail.mails.map(({ to }) => to[0]);
    expect([first, others]).toEqual(["ops@customer.example", ["new@customer.example", "new@customer.example"]]);
  });

  it.each([{ contactEmail: null }, { disabledEmails: ["host_lost" as const] }])("is not sent after %j", async (to) => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    const [principal, other] = [await account(), await account()];
    for (const one of [principal, other]) await lose(one, "a");
    mail.next("defer", "defer");
    await emails.poke();
    await change(principal, to);
    await soon();
    await emails.poke();
    expect([await queue(), mail.mails.length]).toEqual([["sent"], 1]);
  });
});
