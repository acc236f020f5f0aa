// Emails with sign-in links: the link works, is encrypted until it is sent, and late emails are not sent.

import { describe, expect, it } from "vitest";
import { startEmails } from "../../src/reconciler/emails/emails.ts";
import { noFailpoints } from "../../src/reconciler/failpoints.ts";
import { changeAccount } from "../../src/rental/accounts/account-store.ts";
import { queueEmailsAbout } from "../../src/rental/emails/queue.ts";
import { redeemLink, sendLink } from "../../src/rental/people/sign-in-links.ts";
import { hashToken } from "../../src/secrets/token.ts";
import { startMailServer } from "../support/mail-server.ts";
import { personIn } from "../support/people.ts";
import { stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";
import { afterTest } from "../support/when-over.ts";

const stage = stageOfFile();
const url = "https://cloud.acme.example/sign-in#";
const browserHash = hashToken("browser");

async function sending() {
  const mail = await startMailServer();
  const times = { pollSeconds: 3600, attemptSeconds: 5, retrySeconds: [60] };
  const { keyRing } = stage.world.service;
  const parts = { db: stage.db, settings: mail.settings, times, keyRing, log: stage.log, gate: noFailpoints };
  const emails = startEmails(parts);
  afterTest(() => emails.stop());
  await emails.poke();
  return { mail, emails };
}

async function person(email?: string) {
  const { accountId } = await stage.world.account();
  return { accountId, ...(await personIn(stage.world, accountId, "member", email === undefined ? {} : { email })) };
}

const request = (email: string) =>
  stage.world.tx((tx) => sendLink(tx, { email, browserHash, url }, stage.world.service.keyRing));
const queued = () => stage.db.selectFrom("emails").selectAll().execute();

describe("a sign-in link", () => {
  it("comes by email, to the address that is known, and signs in with it", async () => {
    const { mail, emails } = await sending();
    const { email, accountId } = await person();
    mail.next("defer");
    const link = await request(email.toUpperCase());
    await emails.poke();
    const [waiting] = await queued();
    expect(waiting).toMatchObject({ recipient: email, kind: "sign_in", status: "waiting", tries: 1 });
    const secret = link?.split("#")[1] ?? "";
    expect(secret).not.toBe("");
    for (const seen of [waiting, stage.logged]) expect(JSON.stringify(seen)).not.toContain(secret);
    await travel(stage.db, "2 minutes");
    await emails.poke();
    const [one, ...more] = mail.mails;
    expect([one?.to, more]).toEqual([[email], []]);
    expect(one?.text).toContain(`\n${link}\n`);
    expect(one?.html).toContain(`<a href="${link}">Sign in</a>`);
    expect(await queued()).toMatchObject([{ status: "sent", secret_sealed: null }]);
    const used = await stage.world.tx((tx) => redeemLink(tx, { secret, browserHash, confirmed: undefined }));
    expect(used).toMatchObject({ team: { accountId }, byEmail: email });
  });

  it("is not sent once it would not work any more", async () => {
    const { mail, emails } = await sending();
    mail.next("defer");
    await request((await person()).email);
    await emails.poke();
    await travel(stage.db, "15 minutes");
    await emails.poke();
    expect(mail.mails).toEqual([]);
    expect(await queued()).toMatchObject([{ status: "failed", secret_sealed: null }]);
  });

  it("takes nothing from the limit of the account's other emails, and is not held back by it", async () => {
    const { mail, emails } = await sending();
    const { email, accountId } = await person();
    await stage.world.tx((tx) => changeAccount(tx, accountId, { contactEmail: "ops@customer.example" }));
    const lose = (count: number) =>
      stage.world.tx(async (tx) => {
        for (let n = 0; n < count; n++) {
          const event = { accountId, type: "instance.host_lost" as const, data: { name: `i-${n}` } };
          await queueEmailsAbout(tx, [{ ...event, subjectId: crypto.randomUUID() }]);
        }
      });
    for (let n = 0; n < 25; n++) await request(email);
    await lose(25);
    await request(email);
    await emails.poke();
    const kinds = Map.groupBy(await queued(), ({ kind, status }) => `${kind} ${status}`);
    expect(Object.fromEntries([...kinds].map(([kind, { length }]) => [kind, length]))).toEqual({
      "sign_in sent": 26,
      "host_lost sent": 20,
      "host_lost suppressed": 5,
    });
    expect(mail.mails).toHaveLength(46);
  });

  it("is not made for an address that no one has, or an account that turned such emails off", async () => {
    await sending();
    const { email, accountId } = await person();
    await stage.world.tx((tx) => changeAccount(tx, accountId, { disabledEmails: ["sign_in"] }));
    expect([await request(email), await request("unknown@example.com")]).toEqual([undefined, undefined]);
    expect(await queued()).toEqual([]);
    expect(await stage.db.selectFrom("sign_in_links").select("id").execute()).toEqual([]);
  });
});
