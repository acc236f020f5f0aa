// Asks OpenID Connect providers whether people still have access. Started by reconciler.ts; any number of replicas can run it
// on the same database, and each person is asked for by one of them at a time (rental/people/confirmations.ts).
//
// No statement waits for a provider: an identity is claimed, refreshed, and settled by three. One that does not respond is
// asked for one person a poll. The log has ids and words, and no token.

import type { Database } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import {
  type ClaimedIdentity,
  type Confirmations,
  claimIdentity,
  noteSuspension,
  type Refreshed,
  refreshTokenContext,
  settleIdentity,
} from "../rental/people/confirmations.ts";
import { applyGroups } from "../rental/people/identities.ts";
import type { SignInProvider } from "../rules/sign-in-providers.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import type { FailpointRunner } from "./failpoints.ts";
import type { Log } from "./log.ts";
import { type Periodic, periodically } from "./periodic.ts";

/** Longer than discovery, refresh and keys together can take. */
const leaseSeconds = 60;
/** Until a person is asked for again whose provider gave no usable response. */
const retrySeconds = 60;

export interface ConfirmationParts {
  readonly db: Database;
  readonly confirmations: Confirmations;
  /** The poll interval. */
  readonly seconds: number;
  readonly keyRing: KeyRing;
  readonly log: Log;
  readonly gate: FailpointRunner;
}

/** Starts at once. Without a database it does not fail but retries. */
export function startConfirmations({ db, confirmations, seconds, keyRing, log, gate }: ConfirmationParts): Periodic {
  async function refreshed(provider: SignInProvider, one: ClaimedIdentity): Promise<Refreshed> {
    let token: string;
    try {
      token = keyRing.openText(one.refresh_sealed, refreshTokenContext(one.issuer, one.subject));
    } catch {
      return { status: "unknown", problem: "the refresh token cannot be decrypted", ofPerson: true };
    }
    return confirmations.refresh(provider, token, one.subject);
  }

  return periodically(
    "confirming people",
    seconds,
    log,
    async (stop) => {
      let asked = confirmations.providers;
      while (!stop.aborted) {
        const claimed = await gate("identityClaimed", () => claimIdentity(db, asked, leaseSeconds));
        const provider = asked.find(({ id }) => id === claimed?.provider);
        if (claimed === undefined || provider === undefined) break;
        const result = await gate("identityRefreshed", () => refreshed(provider, claimed));
        const isKept = await gate("identitySettled", () =>
          inTransaction(db, async (tx) => {
            const kept = await settleIdentity(tx, claimed, provider, result, { keyRing, retrySeconds });
            if (kept && result.status === "confirmed" && result.groups !== undefined)
              await applyGroups(tx, provider, claimed.person_id, result.groups);
            return kept;
          }),
        );
        const told = { provider: provider.id, person: claimed.person_id };
        if (isKept && result.status === "ended") log.info(told, "provider ended the access of a person");
        if (result.status === "unknown") {
          log.warn({ ...told, problem: result.problem }, "person not confirmed by the provider");
          if (result.ofPerson !== true) asked = asked.filter((one) => one !== provider);
        }
      }
      while (!stop.aborted && (await inTransaction(db, noteSuspension)));
    },
    { rest: 0 },
  );
}
