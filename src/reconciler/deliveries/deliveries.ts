// Delivers events to webhooks. Started by ../reconciler.ts; any number of replicas can run it on the same database.
//
// Writing an event writes nothing for webhooks. Each webhook has a cursor over its account's events, in the order of
// event-store.ts. A delivery row is inserted when the cursor reaches the event (outbox.ts), in the transaction that
// moves the cursor. So no event is missed, and each becomes one delivery per webhook that subscribes to it. The number
// of waiting rows is limited (`window`); at the limit the cursor stops.
//
// Order is kept per subject, usually an instance: one delivery of a subject is due, and the others have no
// `next_attempt_at` until it is delivered or has failed (outcome.ts). Subjects do not wait for each other.
//
// One replica at a time works on a webhook. It holds the lease (lease-store.ts), moves the cursor, attempts due
// deliveries and records the results, and every write checks the lease's token. If it cannot renew the lease, it aborts
// its attempts before the lease expires by its own clock. If it dies, another replica claims the webhook and attempts
// again what was in progress. So a delivery can arrive twice, but is never attempted twice at once. Receivers recognize
// a duplicate by its webhook-id.
//
// A slow target delays no other webhook. Webhooks whose last attempt failed or was slow are "troubled": they have runs
// of their own, as many as the others, and fewer concurrent attempts. Runs are limited in time; the webhook whose run
// was longest ago is next.
//
// After a few consecutive failures a webhook is paused. An origin that cannot be reached is paused for all its webhooks
// (pauses.ts).
//
// A stop waits for no target. Attempts in progress are aborted and stay due; a target that already received one gets it
// twice.
//
// Notifications are hints; polling is the truth. An event becomes visible shortly after its commit, when older
// transactions have ended, so a hint is followed by checks at growing intervals.

import type { Database } from "../../database/connect.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { type Log, reason } from "../log.ts";
import { claimWebhooks, renewLeases } from "./lease-store.ts";
import { type DeliverySettings, deliveryDefaults } from "./settings.ts";
import type { Resolve, Transport } from "./transport.ts";
import { DeliveryTurn } from "./turn.ts";

export interface DeliveryParts {
  readonly db: Database;
  readonly keyRing: KeyRing;
  readonly settings: Partial<DeliverySettings>;
  readonly log: Log;
  /** Name resolution, for tests. */
  readonly resolve?: Resolve;
}

export interface Deliveries {
  /** Hints that something might be deliverable. */
  poke(): void;
  /** Aborts attempts in progress, as if they had not been made, and releases all leases. */
  stop(): Promise<void>;
}

/** The first pause after a hint that found nothing, in milliseconds. */
const SOON_MS = 20;

/** Starts at once. Without a database it does not fail but retries. */
export function startDeliveries({ db, keyRing, log, resolve, ...parts }: DeliveryParts): Deliveries {
  const settings = deliveryDefaults(parts.settings);
  let transport: Promise<Transport> | undefined;
  /** Loaded for the first webhook, like attempt.ts: many replicas have none, and HTTP clients slow the start by 0.1 s. */
  const wayOut = () => {
    transport ??= import("./transport.ts").then((way) => way.createTransport(settings, resolve));
    return transport;
  };
  const turns = new Set<DeliveryTurn>();
  let stopping = false;
  let poked = false;
  let endPause: (() => void) | undefined;

  async function claimAll(): Promise<boolean> {
    const roomOf = (troubled: boolean) =>
      Math.max(0, settings.turns - [...turns].filter((turn) => turn.held.troubled === troubled).length);
    const room = { troubled: roomOf(true), untroubled: roomOf(false) };
    if (room.troubled + room.untroubled === 0) return false;
    const claimedAt = performance.now();
    const claimed = await claimWebhooks(db, room, settings);
    for (const held of claimed) {
      const turn = new DeliveryTurn({ db, keyRing, transport: await wayOut(), settings, log }, held, claimedAt);
      turns.add(turn);
      void turn.ended.then(() => {
        turns.delete(turn);
        wake();
      });
    }
    return claimed.length > 0;
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
      // Hints can come by the hundred a second; one query each would be too many.
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
  /** Aborts before the lease expires: renewal is tried five times per lease, and the third failure aborts. */
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
      // Includes those claimed meanwhile.
      abortAll();
      await Promise.all([...turns].map((turn) => turn.ended));
      (await transport)?.close();
      clearInterval(renewal);
    },
  };
}
