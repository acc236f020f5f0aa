// Emails to people who are invited to a team: they have the secret, which is encrypted until then, and gone afterwards.

import { describe, expect, it } from "vitest";
import { startEmails } from "../../src/reconciler/emails/emails.ts";
import { noFailpoints } from "../../src/reconciler/failpoints.ts";
import { changeAccount } from "../../src/rental/accounts/account-store.ts";
import { acceptInvitation, invite } from "../../src/rental/people/invitations.ts";
import type { EmailSettings } from "../../src/rules/emails.ts";
import { startMailServer } from "../support/mail-server.ts";
import { personIn } from "../support/people.ts";
import { stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";
import { afterTest } from "../support/when-over.ts";

const stage = stageOfFile();
const ada = "ada@example.com";

async function replica(settings: EmailSettings | undefined) {
  const times = { pollSeconds: 3600, attemptSeconds: 5, retrySeconds: [60] };
  const { keyRing } = stage.world.service;
  const emails = startEmails({ db: stage.db, settings, times, keyRing, log: stage.log, gate: noFailpoints });
  afterTest(() => emails.stop());
  await emails.poke();
  return emails;
}

async function invited(disabledEmails: "invitation"[] = []) {
  const { world } = stage;
  const team = await world.account();
  const by = { ...team, tokenId: (await personIn(world, team.accountId, "admin")).tokenId };
  await world.tx((db) => changeAccount(db, by.accountId, { disabledEmails }));
  const change = { by, accountId: by.accountId, through: "operator" } as const;
  return world.tx((db) => invite(db, change, { email: ada, role: "owner" }, world.service.keyRing));
}

const queued = () => stage.db.selectFrom("emails").selectAll().execute();

describe("an invitation", () => {
  it("is sent to the person with a secret that is encrypted until then, and makes the person a member", async () => {
    const mail = await startMailServer();
    const emails = await replica({ ...mail.settings, consoleUrl: "https://cloud.acme.example" });
    mail.next("defer");
    const { secret } = await invited();
    await emails.poke();
    const [waiting] = await queued();
    expect(waiting).toMatchObject({ recipient: ada, kind: "invitation", status: "waiting", tries: 1 });
    expect(JSON.stringify(waiting)).not.toContain(secret);
    expect(JSON.stringify(stage.logged)).not.toContain(secret);
    const contact = { contactEmail: "ops@customer.example" };
    await stage.world.tx((tx) => changeAccount(tx, waiting?.account_id ?? "", contact)); // not where this one goes
    await travel(stage.db, "2 minutes");
    await emails.poke();
    const [one, ...more] = mail.mails;
    expect([one?.to, more]).toEqual([[ada], []]);
    expect(one?.text).toContain("Role: owner");
    for (const part of [one?.text, one?.html]) expect(part).toContain(`https://cloud.acme.example/join#${secret}`);
    expect(await queued()).toMatchObject([{ status: "sent", secret_sealed: null }]);
    const [, sent = ""] = /Secret: (\S+)/.exec(one?.text ?? "") ?? [];
    const joined = await stage.world.tx((tx) => acceptInvitation(tx, { secret: sent, name: "Ada", by: undefined }));
    expect(joined.member).toMatchObject({ email: ada, role: "owner" });
  });

  it("is given by hand where email is not configured, or turned off", async () => {
    await replica(undefined);
    await invited();
    expect(await queued()).toEqual([]);
    const mail = await startMailServer();
    await replica(mail.settings);
    await invited(["invitation"]);
    expect(await queued()).toEqual([]);
  });
});
