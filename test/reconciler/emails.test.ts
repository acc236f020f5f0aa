// Emails as replicas of the service send them: once for each cause, again while the mail server does not take them, and
// never with a secret in the log.

import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { deleteOldEmails } from "../../src/reconciler/emails/store.ts";
import { maintenanceJobs } from "../../src/reconciler/maintenance/maintenance.ts";
import { withDefaults } from "../../src/reconciler/settings.ts";
import { type NewEvent, recordEvents } from "../../src/rental/events/record.ts";
import { emailLimits } from "../../src/rules/emails.ts";
import { emailsOf } from "../support/emails.ts";
import { certificatePath, keyPath } from "../support/fake-incus/certificates.ts";
import { startMailServer } from "../support/mail-server.ts";
import { quiet, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();

const { replica, account, lose, queue, soon } = emailsOf(stage);

describe("an email", () => {
  it("is sent with a text and an HTML part, says how to turn it off, and that no person wrote it", async () => {
    const mail = await startMailServer();
    const emails = await replica({ ...mail.settings, consoleUrl: "https://cloud.acme.example" });
    await lose(await account(), "train-1", '<b>träin</b>&"2"');
    await emails.poke();
    const [one] = mail.mails;
    expect([mail.mails.length, one?.from, one?.to]).toEqual([1, "noreply@acme.example", ["ops@customer.example"]]);
    expect(one?.subject).toBe("2 instances were lost with their host");
    expect(one?.headers.get("auto-submitted")).toBe("auto-generated");
    expect(one?.headers.get("from")).toBe("Acme Cloud <noreply@acme.example>");
    expect(one?.headers.get("message-id")).toMatch(/^<[0-9a-f-]{36}@acme\.example>$/);
    expect(one?.headers.has("list-unsubscribe")).toBe(false);
    expect(one?.text).toContain('- train-1\n- <b>träin</b>&"2"\n');
    expect(one?.text).toContain("Open the console: https://cloud.acme.example/instances");
    expect(one?.text).toContain("lessor account change --disable-email host_lost");
    expect(one?.html).toContain("<li>&lt;b&gt;träin&lt;/b&gt;&amp;&quot;2&quot;</li>");
    expect(one?.html).not.toContain("<b>");
    expect(await queue()).toEqual(["sent"]);
  });

  it("names at most so many, and how many more there are", async () => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    const names = Array.from({ length: emailLimits.listed + 2 }, (_, index) => `train-${index}`);
    await lose(await account(), ...names);
    await emails.poke();
    expect(mail.mails[0]?.text).toContain("- train-19\n- and 2 more\n");
    expect(mail.mails[0]?.text).not.toContain("train-20");
  });

  it("has no header that a name gives it", async () => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    await lose(await account(), `x\r\nBcc: all@victim.example\r\n\r\n${"y".repeat(500)}`);
    await emails.poke();
    const [one] = mail.mails;
    expect([one?.to, one?.headers.has("bcc"), one?.headers.has("date")]).toEqual([
      ["ops@customer.example"],
      false,
      true,
    ]);
  });
});

describe("a mail server", () => {
  it("that rejects the recipient for good gets the email once, and what it says is kept in one line", async () => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    mail.next("refuse", "accept", "too-large");
    const principal = await account();
    for (const name of ["a", "b", "c"]) await lose(principal, name);
    await emails.poke();
    const failed = ["failed rejected 550 5.1.1 No such user", "failed rejected 552 5.3.4 Too large"];
    expect(await queue()).toEqual([failed[0], "sent", failed[1]]);
    await soon();
    await emails.poke();
    expect(mail.attempts).toEqual(["refuse", "accept", "too-large"]);
  });

  it("that does not take one now gets it later, and others meanwhile", async () => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    mail.next("defer");
    const principal = await account();
    for (const name of ["a", "b"]) await lose(principal, name);
    await emails.poke();
    expect(await queue()).toEqual(["waiting deferred 451 4.7.1 Greylisted", "sent"]);
    await emails.poke();
    expect(mail.mails.length).toBe(1);
    await soon();
    await emails.poke();
    expect([await queue(), mail.mails.length]).toEqual([["sent", "sent"], 2]);
  });

  it("that rejects the sender is one whose operator has to act: it is tried again", async () => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    mail.next("refuse-sender");
    await lose(await account(), "a");
    await emails.poke();
    expect(await queue()).toEqual(["waiting sender 550 5.7.1 Sender not allowed"]);
    await soon();
    await emails.poke();
    expect(await queue()).toEqual(["sent"]);
  });

  it("that relays nothing for this service, whose operator has to act, loses no email", async () => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    mail.next("no-relay");
    await lose(await account(), "a");
    await emails.poke();
    expect(await queue()).toEqual(["waiting deferred 554 5.7.1 Relay access denied"]);
    await soon();
    await emails.poke();
    expect(await queue()).toEqual(["sent"]);
  });

  it("that ends the connection after it took an email gets the same bytes again", async () => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    mail.next("drop");
    await lose(await account(), "a");
    await emails.poke();
    expect(await queue()).toEqual(["waiting connection"]);
    // Not by `travel`, which moves the date of the message too.
    await sql`update emails set next_attempt_at = now()`.execute(stage.db);
    await emails.poke();
    const [first, second] = mail.mails;
    expect([await queue(), mail.mails.length]).toEqual([["sent"], 2]);
    expect(second?.raw).toBe(first?.raw);
    expect(second?.headers.get("message-id")).toBe(first?.headers.get("message-id"));
  });

  it.each([{ isMute: true }, { isMute: false }])("that hangs is left after the deadline (%j)", async (options) => {
    const mail = await startMailServer(options);
    const emails = await replica(mail.settings, { attemptSeconds: 0.3 });
    mail.next("hang");
    const principal = await account();
    for (const name of ["a", "b"]) await lose(principal, name);
    await emails.poke();
    expect(await queue()).toContain("waiting timeout");
    await expect.poll(mail.connections).toBe(0);
  });

  it("that cannot be reached is tried with one email a poll, and gets all when it is back", async () => {
    const gone = await startMailServer();
    await gone.close();
    const emails = await replica(gone.settings);
    const principal = await account();
    for (const name of ["a", "b", "c"]) await lose(principal, name);
    await emails.poke();
    expect(await queue()).toEqual(["waiting connection", "waiting", "waiting"]);
    await emails.stop();
    const mail = await startMailServer();
    await soon();
    await replica(mail.settings);
    expect([await queue(), mail.mails.length]).toEqual([["sent", "sent", "sent"], 3]);
  });

  it("that hangs keeps no replica from stopping, and another sends the email", async () => {
    const mail = await startMailServer();
    mail.next("hang");
    const emails = await replica(mail.settings, { attemptSeconds: 600 });
    await lose(await account(), "a");
    const poked = emails.poke();
    await expect.poll(() => mail.attempts).toEqual(["hang"]);
    await emails.stop();
    await poked;
    expect(await queue()).toEqual(["waiting"]);
    await replica(mail.settings);
    expect(await queue()).toEqual(["sent"]);
  });
});

const [key, cert, ca] = [keyPath("signed"), certificatePath("signed"), certificatePath("ca")].map((path) =>
  readFileSync(path, "utf8"),
) as [string, string, string]; // three paths
const login = { user: "lessor", password: "canary-of-the-mail-password" };

describe("TLS and the password", () => {
  it.each([
    ["starttls", false],
    ["implicit", true],
  ] as const)("are used by %s", async (tls, secure) => {
    const mail = await startMailServer({ key, cert, secure, login });
    const emails = await replica({ ...mail.settings, tls, ca });
    await lose(await account(), "a");
    await emails.poke();
    expect([await queue(), mail.mails[0]?.isEncrypted, mail.passwords]).toEqual([["sent"], true, [login.password]]);
  });

  it.each(["starttls", "implicit"] as const)(
    "are not given to a server without a trusted certificate (%s)",
    async (tls) => {
      const mail = await startMailServer({ key, cert, secure: tls === "implicit", login });
      const emails = await replica({ ...mail.settings, tls });
      await lose(await account(), "a");
      await emails.poke();
      expect([await queue(), mail.passwords]).toEqual([["waiting tls"], []]);
    },
  );

  it("are not given to a server without TLS", async () => {
    const mail = await startMailServer({ login });
    const emails = await replica({ ...mail.settings, tls: "starttls" });
    await lose(await account(), "a");
    await emails.poke();
    const failure = "waiting tls 500 Error: command not recognized";
    expect([await queue(), mail.passwords]).toEqual([[failure], []]);
  });

  it("that is wrong is said without it, whatever the server responds", async () => {
    const mail = await startMailServer({ login: { ...login, password: "another" } });
    const emails = await replica({ ...mail.settings, login });
    await lose(await account(), "a");
    await emails.poke();
    expect([await queue(), mail.passwords]).toEqual([["waiting authentication"], [login.password]]);
    await expectNowhere(login.password);
  });

  it("is kept nowhere, also if the server repeats it", async () => {
    const mail = await startMailServer({ login });
    const emails = await replica(mail.settings);
    mail.next("echo", "echo", "echo");
    const principal = await account();
    for (const name of ["a", "b", "c"]) await lose(principal, name);
    await emails.poke();
    expect(await queue()).toEqual(["waiting deferred", "waiting deferred", "waiting deferred"]);
    expect(mail.passwords[0]).toBe(login.password);
    await expectNowhere(login.password);
  });
});

/** In no log line, and in no row of a table that knows of emails. */
async function expectNowhere(secret: string): Promise<void> {
  const { rows } = await sql`
    select to_jsonb(e) as row from emails e union all select to_jsonb(s) from settings s
    union all select to_jsonb(v) from events v`.execute(stage.db);
  const all = JSON.stringify([stage.logged, rows]);
  const forms = [secret, ...[secret, `\0lessor\0${secret}`].map((text) => Buffer.from(text).toString("base64"))];
  for (const form of forms) expect(all).not.toContain(form);
}

describe("replicas", () => {
  it("that work at once send each email once", async () => {
    const mail = await startMailServer();
    const principals = await Promise.all(Array.from({ length: 20 }, () => account()));
    const replicas = await Promise.all([1, 2, 3].map(() => replica(mail.settings)));
    for (const principal of principals) await lose(principal, "a");
    await Promise.all(replicas.map((one) => one.poke()));
    const ids = mail.mails.map(({ headers }) => headers.get("message-id"));
    expect([ids.length, new Set(ids).size]).toEqual([20, 20]);
    expect(new Set(await queue())).toEqual(new Set(["sent"]));
  });

  it.each(["emailClaimed", "emailSent"] as const)("that die at %s leave the email to others", async (at) => {
    const mail = await startMailServer();
    const dying = await replica(mail.settings, {
      gate: async (point, pass) => {
        if (point !== at) return pass();
        if (at === "emailClaimed") await pass();
        throw new Error("the test ends the replica here");
      },
    });
    await lose(await account(), "a");
    await dying.poke();
    const other = await replica(mail.settings);
    expect([await queue(), mail.mails.length]).toEqual([["waiting"], 0]);
    await soon();
    await other.poke();
    expect([await queue(), mail.mails.length]).toEqual([["sent"], 1]);
  });

  it("that die after the mail server took it, and before that is recorded, have it sent again with the same bytes", async () => {
    const mail = await startMailServer();
    const dying = await replica(mail.settings, {
      gate: (point, pass) => {
        if (point === "emailSettled") throw new Error("the test ends the replica here");
        return pass();
      },
    });
    await lose(await account(), "a");
    await dying.poke();
    const other = await replica(mail.settings);
    expect([await queue(), mail.mails.length]).toEqual([["waiting"], 1]);
    await sql`update emails set lease_until = now()`.execute(stage.db);
    await other.poke();
    const [first, second] = mail.mails;
    expect([await queue(), second?.raw]).toEqual([["sent"], first?.raw]);
  });

  it("record nothing for a lease that they have lost", async () => {
    const mail = await startMailServer();
    const slow = await replica(mail.settings, {
      gate: async (point, pass) => {
        if (point === "emailSettled") await sql`update emails set lease_owner = gen_random_uuid()`.execute(stage.db);
        return pass();
      },
    });
    await lose(await account(), "a");
    await slow.poke();
    expect(await queue()).toEqual(["waiting"]);
  });
});

describe("an email that no server accepts", () => {
  it("is given up after a day, with its last failure, and deleted after a month", async () => {
    const gone = await startMailServer();
    await gone.close();
    const emails = await replica(gone.settings);
    await lose(await account(), "a");
    await emails.poke();
    await travel(stage.db, "1 day");
    await emails.poke();
    expect(await queue()).toEqual(["failed connection"]);
    expect(stage.logged.at(-1)).toMatchObject({ level: "warn", emails: 1 });
    await travel(stage.db, "28 days");
    await deleteOldEmails(stage.db);
    expect((await queue()).length).toBe(1);
    await travel(stage.db, "2 days");
    await deleteOldEmails(stage.db);
    expect(await queue()).toEqual([]);
  });

  it("is not sent when the service returns after that", async () => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    await emails.stop();
    await lose(await account(), "a");
    await travel(stage.db, "25 hours");
    await replica(mail.settings);
    expect([await queue(), mail.mails]).toEqual([["failed expired"], []]);
  });
});

describe("an email that waits when email is not configured any more", () => {
  it("is given up after a day too, so that it is not late forever", async () => {
    const emails = await replica((await startMailServer()).settings);
    await emails.stop();
    await lose(await account(), "a");
    await replica(undefined);
    const chore = maintenanceJobs.find(({ name }) => name === "deleting old emails");
    const run = () =>
      chore?.run(
        { db: stage.db, settings: withDefaults(quiet), log: stage.log, engines: new Map() },
        new AbortController().signal,
      );
    await run();
    expect(await queue()).toEqual(["waiting"]);
    await travel(stage.db, "25 hours");
    await run();
    expect(await queue()).toEqual(["failed expired"]);
  });
});

describe("nothing is queued", () => {
  it("where email is not configured, or no longer", async () => {
    const mail = await startMailServer();
    const principal = await account();
    await lose(principal, "a");
    const configured = await replica(mail.settings);
    await configured.stop();
    await replica(undefined);
    await lose(principal, "b");
    expect(await queue()).toEqual([]);
  });

  it("for an account without a contact address, and of a kind that it has turned off", async () => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    await lose(await account({ contactEmail: null }), "a");
    await lose(await account({ disabledEmails: ["host_lost"] }), "b");
    await lose(await account({ disabledEmails: ["maintenance"] }), "c");
    await emails.poke();
    expect(mail.mails.map(({ subject }) => subject)).toEqual(["Instance c was lost with its host"]);
  });

  it("of a kind that the operator has turned off", async () => {
    const mail = await startMailServer();
    await replica({ ...mail.settings, disabledKinds: ["host_lost"] });
    await lose(await account(), "a");
    expect(await queue()).toEqual([]);
  });

  it("of a transaction that is rolled back, and twice of one cause", async () => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    const { accountId } = await account();
    const event: NewEvent = {
      ...{ accountId, type: "instance.host_lost", subjectId: crypto.randomUUID(), data: { name: "a" } },
    };
    const aborted = stage.world.tx(async (tx) => {
      await recordEvents(tx, [event]);
      throw new Error("no");
    });
    await expect(aborted).rejects.toThrow("no");
    expect(await queue()).toEqual([]);
    for (const _ of [1, 2]) await stage.world.tx((tx) => recordEvents(tx, [event]));
    await emails.poke();
    expect([await queue(), mail.mails.length]).toEqual([["sent"], 1]);
  });

  it("to be sent beyond the limit of an account within an hour", async () => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    const [much, little] = [await account(), await account()];
    const most = emailLimits.perAccountPerHour;
    for (let n = 0; n < most + 3; n += 1) await lose(much, `${n}`);
    await lose(little, "a");
    await emails.poke();
    const states = await queue();
    expect(states.filter((state) => state === "suppressed").length).toBe(3);
    expect(mail.mails.length).toBe(most + 1);
    await travel(stage.db, "61 minutes");
    await lose(much, "later");
    await emails.poke();
    expect(mail.mails.length).toBe(most + 2);
  });

  it("forever for an account that always has more: those that were suppressed do not count", async () => {
    const mail = await startMailServer();
    const emails = await replica(mail.settings);
    const much = await account();
    const most = emailLimits.perAccountPerHour;
    for (let n = 0; n < most; n += 1) await lose(much, `${n}`);
    await travel(stage.db, "30 minutes");
    for (let n = 0; n < most; n += 1) await lose(much, `${n}`);
    await travel(stage.db, "31 minutes");
    await lose(much, "later");
    await emails.poke();
    expect(mail.mails.length).toBe(most + 1);
  });
});
