// Emails of a stage: replicas that send them, accounts that get them, and the queue.

import { type EmailTimes, startEmails } from "../../src/reconciler/emails/emails.ts";
import { type FailpointRunner, noFailpoints } from "../../src/reconciler/failpoints.ts";
import type { Periodic } from "../../src/reconciler/periodic.ts";
import { changeAccount } from "../../src/rental/accounts/account-store.ts";
import { type NewEvent, recordEvents } from "../../src/rental/events/record.ts";
import type { Principal } from "../../src/rental/service.ts";
import type { EmailKind, EmailSettings } from "../../src/rules/emails.ts";
import type { stageOfFile } from "./stage.ts";
import { travel } from "./time-travel.ts";
import { afterTest } from "./when-over.ts";

export function emailsOf(stage: ReturnType<typeof stageOfFile>) {
  /** A replica that sends when it is poked. */
  async function replica(
    settings: EmailSettings | undefined,
    { gate = noFailpoints, ...times }: Partial<EmailTimes> & { gate?: FailpointRunner } = {},
  ): Promise<Periodic> {
    const quick = { pollSeconds: 3600, attemptSeconds: 5, retrySeconds: [60] };
    const { keyRing } = stage.world.service;
    const emails = startEmails({
      db: stage.db,
      settings,
      times: { ...quick, ...times },
      keyRing,
      log: stage.log,
      gate,
    });
    afterTest(() => emails.stop());
    await emails.poke();
    return emails;
  }

  async function account(
    change: { disabledEmails?: EmailKind[]; contactEmail?: string | null } = {},
  ): Promise<Principal> {
    const principal = await stage.world.account();
    await stage.world.tx((tx) =>
      changeAccount(tx, principal.accountId, { contactEmail: "ops@customer.example", ...change }),
    );
    return principal;
  }

  /** Hosts were lost with these instances of the account. */
  async function lose({ accountId }: Principal, ...names: string[]): Promise<void> {
    const event = (name: string): NewEvent => ({
      ...{ accountId, type: "instance.host_lost", subjectId: crypto.randomUUID(), data: { name } },
    });
    await stage.world.tx((tx) => recordEvents(tx, names.map(event)));
  }

  async function queue(): Promise<string[]> {
    const rows = await stage.db.selectFrom("emails").selectAll().orderBy("id").execute();
    return rows.map((row) => [row.status, row.last_error, row.last_response].filter((one) => one !== null).join(" "));
  }

  const soon = () => travel(stage.db, "2 minutes");

  const change = ({ accountId }: Principal, to: { contactEmail?: string | null; disabledEmails?: EmailKind[] }) =>
    stage.world.tx((tx) => changeAccount(tx, accountId, to));

  return { replica, account, change, lose, queue, soon };
}
