// Sends the emails that wait. Started by ../reconciler.ts; any number of replicas can run it on the same database, and each
// email is sent by one of them at a time.
//
// An email is sent at least once, not at most once: a replica that dies after the mail server accepted an email, and before
// that is recorded, leaves it to another, which sends it again. Reading twice that an instance was terminated is better
// than never. Both have the same Message-ID and the same bytes (message.ts), so mail systems recognize them as one.
//
// No statement waits for the mail server: an email is claimed, sent, and settled by three. While the server is not
// reached, each run tries one email, so a server that is down is asked once a poll, and all are sent when it is back.
//
// Invariant: the log has ids, kinds, words and times: no address, no text, and no response of the server.

import type { Database } from "../../database/connect.ts";
import { keepEmailSettings } from "../../rental/emails/queue.ts";
import { type EmailSettings, emailSecretContext } from "../../rules/emails.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { overADay } from "../deliveries/settings.ts";
import type { FailpointRunner } from "../failpoints.ts";
import type { Log } from "../log.ts";
import { type Periodic, periodically } from "../periodic.ts";
import { type ClaimedEmail, claimEmail, giveUpEmails, releaseEmail, settleEmail } from "./store.ts";

export interface EmailTimes {
  /** Poll interval. 5. */
  readonly pollSeconds: number;
  /** Deadline of an attempt. 30. */
  readonly attemptSeconds: number;
  /** Delay before each retry; the last one repeats. Those of webhook deliveries. */
  readonly retrySeconds: readonly number[];
}

const defaultTimes: EmailTimes = { pollSeconds: 5, attemptSeconds: 30, retrySeconds: overADay };

export interface EmailParts {
  readonly db: Database;
  /** Undefined: email is not configured; only that is written. */
  readonly settings: EmailSettings | undefined;
  readonly times: Partial<EmailTimes>;
  /** Opens the secrets of messages. */
  readonly keyRing: KeyRing;
  readonly log: Log;
  readonly gate: FailpointRunner;
}

/** Starts at once. Without a database it does not fail but retries. */
export function startEmails({ db, settings, times, keyRing, log, gate }: EmailParts): Periodic {
  const { pollSeconds, attemptSeconds, retrySeconds } = { ...defaultTimes, ...times };
  let isKept = false;

  const secretOf = ({ id, secret_sealed: sealed }: ClaimedEmail) =>
    sealed === null ? undefined : keyRing.openText(sealed, emailSecretContext(id));

  /** Sends one. Returns whether another is worth an attempt now. */
  async function sendNext(email: EmailSettings, stop: AbortSignal): Promise<boolean> {
    const claimed = await gate("emailClaimed", () => claimEmail(db, 2 * attemptSeconds));
    if (claimed === undefined) return false;
    // Only those who send emails load it.
    const [{ messageOf }, { sendEmail }] = await Promise.all([import("./message.ts"), import("./send.ts")]);
    const message = await messageOf(claimed, email, secretOf(claimed));
    const result = await gate("emailSent", () => sendEmail(message, email, attemptSeconds, stop));
    if (result === undefined) {
      await releaseEmail(db, claimed);
      return false;
    }
    await gate("emailSettled", () => settleEmail(db, claimed, result, retrySeconds));
    const told = { email: claimed.id, kind: claimed.kind, attempt: claimed.tries + 1 };
    if (result.error === undefined) log.info(told, "email sent");
    else log.warn({ ...told, error: result.error, final: result.isFinal }, "email not sent");
    return result.isServerWell;
  }

  return periodically(
    "sending emails",
    pollSeconds,
    log,
    async (stop) => {
      if (!isKept) await keepEmailSettings(db, settings);
      isKept = true;
      if (settings === undefined) return;
      const givenUp = await giveUpEmails(db);
      if (givenUp > 0) log.warn({ emails: givenUp }, "gave up emails that could not be sent within a day");
      while (!stop.aborted && (await sendNext(settings, stop)));
    },
    { rest: 0 },
  );
}
