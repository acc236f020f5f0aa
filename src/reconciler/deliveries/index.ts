// Delivers events to webhooks. Started by ../index.ts; any number of servers may run one on the same database.
//
// The scheme. Whoever writes an event writes nothing for webhooks. A webhook is a reader with a cursor of its own over its
// account's events, in the order of event-store.ts; the row of a delivery is made when the cursor reaches the event
// (outbox.ts), in the transaction that moves the cursor. So nothing is missed, and an event becomes one delivery of each
// webhook that wants it. Rows of deliveries that wait are bounded (`window`): beyond that the cursor stands, and what is
// still to be told stays where it is, in the events.
//
// Order is kept for each subject, which is mostly an instance: of a subject's deliveries one is due, and the others have no
// `next_attempt_at` until it is delivered or has failed (outcome.ts). Other subjects do not wait for it.
//
// One server at a time works for a webhook: it has the lease (lease-store.ts), moves the cursor, attempts what is due, and
// writes down what became of it, always asking for the lease's token. While it lives it renews the lease; when it cannot,
// it gives its attempts up before the lease ends by its own clock. When it dies, the lease ends, another server claims the
// webhook, and what was under way is still due: it is attempted again, so a delivery may come twice, one after the other,
// but is never under way twice. A receiver knows a repetition by its webhook-id.
//
// Nobody waits for a slow target. Webhooks whose last attempt failed or was slow are in trouble: they have turns of their
// own kind, as many as the others, and fewer attempts at once. A turn ends after a while, and those come next whose turn
// was longest ago.
//
// After a few failures in a row a webhook is paused, and so is an origin that cannot be reached, for all its webhooks
// (pauses.ts).
//
// A stop waits for no target. What is under way is cut off and stays due, so it is attempted again by another server or
// after the next start; a target that had it already gets it twice.
//
// Notifications are hints and polling is the truth, as everywhere in the reconciler. An event shows a moment after its
// transaction commits, when older ones have ended; so after a hint is looked again soon, and then less and less often.

import type { Database } from "../../database/connect.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { type Log, reason } from "../log.ts";
import { claimWebhooks, renewLeases } from "./lease-store.ts";
import { type DeliverySettings, deliveryDefaults } from "./settings.ts";
import type { Resolve, Transport } from "./transport.ts";
import { DeliveryTurn } from "./turn.ts";

export type { DeliverySettings } from "./settings.ts";

export interface DeliveryParts {
  readonly db: Database;
  readonly keyRing: KeyRing;
  readonly settings: Partial<DeliverySettings>;
  readonly log: Log;
  /** What names mean, for tests. */
  readonly resolve?: Resolve;
}

export interface Deliveries {
  /** There may be something to deliver. */
  poke(): void;
  /** Gives attempts under way up at once, as if they had not been made, and leaves no lease behind. */
  stop(): Promise<void>;
}

/** The first pause after a hint that found nothing, in milliseconds. */
const SOON_MS = 20;

/** Starts at once; never fails for want of a database, but goes on trying. */
export function startDeliveries({ db, keyRing, log, resolve, ...parts }: DeliveryParts): Deliveries {
  const settings = deliveryDefaults(parts.settings);
  let transport: Promise<Transport> | undefined;
  /** Loaded for the first webhook there is, as attempt.ts is: many servers have none, and HTTP clients take a start 0.1 s. */
  const wayOut = () => {
    transport ??= import("./transport.ts").then((way) => way.createTransport(settings, resolve));
    return transport;
  };
  const turns = new Set<DeliveryTurn>();
  let stopping = false;
  let poked = false;
  let endPause: (() => void) | undefined;

  /** Whether anything was claimed. */
  async function claimAll(): Promise<boolean> {
    let claimed = 0;
    for (const troubled of [false, true]) {
      const room = settings.turns - [...turns].filter((turn) => turn.held.troubled === troubled).length;
      if (room <= 0) continue;
      const claimedAt = performance.now();
      for (const held of await claimWebhooks(db, troubled, room, settings)) {
        const turn = new DeliveryTurn({ db, keyRing, transport: await wayOut(), settings, log }, held, claimedAt);
        claimed += 1;
        turns.add(turn);
        void turn.ended.then(() => {
          turns.delete(turn);
          wake();
        });
      }
    }
    return claimed > 0;
  }

  async function work(): Promise<void> {
    const poll = settings.pollSeconds * 1000;
    let pause = poll;
    while (!stopping) {
      pause = poked ? SOON_MS : Math.min(poll, pause * 2);
      poked = false;
      try {
        if (await claimAll()) pause = SOON_MS;
      } catch (error) {
        log.warn({ error: reason(error) }, "cannot query webhooks with due deliveries");
      }
      // Hints may come by the hundred a second; that many looks would only make each of them slower.
      await new Promise((resolve) => setTimeout(resolve, Math.min(SOON_MS, poll)));
      if (!poked && !stopping) await sleep(pause);
    }
  }

  async function sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    endPause = resolve;
    await promise;
    clearTimeout(timer);
    endPause = undefined;
  }

  function wake(): void {
    poked = true;
    endPause?.();
  }

  let renewing = false;
  /** A server that cannot renew gives up before the lease ends: five looks a lease, and the third without success. */
  async function renewAll(): Promise<void> {
    const leaseMs = settings.leaseSeconds * 1000;
    for (const turn of turns) if (performance.now() - turn.renewedAt > 0.6 * leaseMs) turn.abort("cannot renew");
    if (renewing || turns.size === 0) return;
    renewing = true;
    const sentAt = performance.now();
    const mine = [...turns];
    try {
      const owners = mine.map(({ held }) => held);
      const still = await renewLeases(db, owners, settings);
      for (const turn of mine) {
        if (still.has(turn.held.lease_owner)) turn.renewedAt = sentAt;
        else turn.abort("the lease was lost");
      }
    } catch (error) {
      log.warn({ error: reason(error) }, "cannot renew the leases of webhooks");
    } finally {
      renewing = false;
    }
  }

  const renewal = setInterval(() => void renewAll(), (settings.leaseSeconds * 1000) / 5);
  const loop = work();

  return {
    poke: () => {
      for (const turn of turns) turn.poke();
      wake();
    },
    stop: async () => {
      stopping = true;
      endPause?.();
      const abortAll = () => {
        for (const turn of turns) turn.abort("stopping");
      };
      abortAll();
      await loop;
      // Those that were claimed meanwhile.
      abortAll();
      await Promise.all([...turns].map((turn) => turn.ended));
      (await transport)?.close();
      clearInterval(renewal);
    },
  };
}
