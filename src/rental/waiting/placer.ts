// Places waiting launches: when something has changed that could let one be placed, it tries the first of each line, and
// those that something else than capacity blocks, until none succeeds. Any number of replicas can run it.
//
// The first of a line is tried when the capacity cache has hosts for it that it was not tried with in vain, and from time
// to time. So while nothing changes a run costs a few statements, however many wait, and one if none does.
//
// Invariant: a launch is placed through the one launch path, in one transaction with the end of its wait, under the lock
// of its row; so it is placed once, whatever dies meanwhile. What is tried is decided there, not here: a try that comes
// too often costs time, and changes nothing.

import pg from "pg";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { RentalError } from "../errors.ts";
import type { Instance } from "../instances/instance.ts";
import { LaunchQueue } from "../launching/queue.ts";
import type { Service } from "../service.ts";
import type { InWords } from "./blockers.ts";
import { computeStarts } from "./computed-start.ts";
import { giveHostsBack, keepHosts } from "./earmarks.ts";
import { compareTurns, type Due, dueAgain, type Head, heads, pending } from "./heads.ts";
import { notPlaced } from "./not-placed.ts";
import { noGate, type PlacerGate } from "./placer-points.ts";
import { openWaiting, stillWaiting, type WaitingRequest } from "./waiting-request.ts";
import { endWaits, expireWaits } from "./waiting-store.ts";
import { WorthTrying } from "./worth-trying.ts";

/** How often one is tried that fails by itself. It would keep all others of its line waiting. */
const mostFailures = 3;
const failedByItself = "The launch failed by an internal error. Launch again, and contact support if that fails, too.";

/** Of those that are over, or that something else than capacity blocks, at once. */
const MOST = 100;

export class Placer {
  readonly #db: Database;
  readonly #service: Service;
  readonly #inWords: InWords;
  readonly #worthTrying = new WorthTrying();
  /** By launch that fails by itself, how often it did. */
  readonly #failures = new Map<string, number>();
  /** In the last run. */
  #someWaited = false;
  readonly #queue: LaunchQueue<WaitingRequest, boolean, [ReadonlySet<string>]>;

  constructor(db: Database, service: Service, inWords: InWords) {
    [this.#db, this.#service, this.#inWords] = [db, service, inWords];
    this.#queue = new LaunchQueue(db, service, {
      questions: (requests) => [stillWaiting(requests.map(({ id }) => id))],
      before: async (_tx, requests, [waiting]) =>
        new Map(requests.filter(({ id }) => !waiting.has(id)).map((one) => [one, { result: false }])),
      after: markPlaced,
    });
  }

  /** Places what can be placed. Throws what the database throws, after all others were tried. */
  async run(signal: AbortSignal, gate = noGate): Promise<void> {
    // Together, because a launch whose turn it is waits for both; where none waits, one statement is enough.
    const [now, read] = await Promise.all([pending(this.#db), this.#someWaited ? this.#firsts() : undefined]);
    this.#someWaited = now.someWait;
    if (now.someExpire) await gate("waitsExpired", () => expireWaits(this.#db, MOST));
    if (now.hostsAreKeptInVain || now.someExpire) await gate("hostsGivenBack", () => giveHostsBack(this.#db));
    if (!now.someWait) return;
    const failed: unknown[] = [];
    const [tried, inVain] = [new Set<string>(), new Set<string>()];
    let firsts = now.hostsAreKeptInVain || now.someExpire ? undefined : read;
    let { someAreDue } = now;
    while (!signal.aborted) {
      const due = someAreDue ? (await dueAgain(this.#db, MOST)).filter(({ id }) => !tried.has(id)) : [];
      const turn = nextInTurn(
        due,
        (firsts ?? (await this.#firsts())).filter(({ id }) => !inVain.has(id)),
      );
      const hasChanged = await this.#tryAll(turn, gate, failed);
      if (!hasChanged && due.length === 0) break;
      [firsts, someAreDue] = [undefined, true];
      for (const one of turn) (due.includes(one) ? tried : inVain).add(one.id);
      if (!hasChanged) continue;
      inVain.clear();
      this.#worthTrying.forget();
      // What was kept for one that has had its turn.
      await gate("hostsGivenBack", () => giveHostsBack(this.#db));
    }
    const { spot } = this.#service.limits;
    await gate("startsComputed", () => computeStarts(this.#db, spot));
    await gate("hostsKept", () => keepHosts(this.#db, spot));
    if (failed.length > 0) throw failed[0];
  }

  /** The first of each line, of those that are worth a try. */
  async #firsts(): Promise<readonly Head[]> {
    const { capacity } = this.#service;
    const [firsts] = await Promise.all([heads(this.#db), capacity.refresh()]);
    return this.#worthTrying.of(capacity.order, firsts);
  }

  /** Whether others can have their turn now. What one throws is added to `failed`, and hinders no other. */
  async #tryAll(all: readonly Due[], gate: PlacerGate, failed: unknown[]): Promise<boolean> {
    // All of them before the first is tried, so that they come to the queue in their order.
    const opened = await Promise.allSettled(all.map(({ id }) => openWaiting(this.#db, this.#service, id)));
    const tries = await Promise.allSettled(
      opened.map(async (one) => {
        if (one.status === "rejected") throw one.reason;
        return one.value !== undefined && (await this.#try(one.value, gate));
      }),
    );
    failed.push(...tries.flatMap((one) => (one.status === "rejected" ? [one.reason] : [])));
    return tries.some((one) => one.status === "fulfilled" && one.value);
  }

  /** Refuses one that cannot be placed, whatever is tried, and that none of the rules of a launch has rejected. */
  async #noteFailure(id: string, error: unknown): Promise<void> {
    if (!isOfLaunch(error)) return;
    const failures = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.set(id, failures);
    if (failures < mostFailures) return;
    this.#failures.delete(id);
    await inTransaction(this.#db, (tx) => endWaits(tx, [{ id, state: "refused", reason: failedByItself }]));
  }

  /** Whether it holds its place before others no longer. */
  async #try(request: WaitingRequest, gate: PlacerGate): Promise<boolean> {
    try {
      if (request.refusal !== undefined) throw request.refusal;
      return await gate("launchPlaced", () => this.#queue.take(request));
    } catch (error) {
      if (!(error instanceof RentalError)) {
        await this.#noteFailure(request.id, error);
        throw error;
      }
      this.#worthTrying.wasInVain(request.id);
      return gate("launchNotPlaced", () =>
        inTransaction(this.#db, (tx) => notPlaced(tx, this.#service, request, error, this.#inWords)),
      );
    }
  }
}

/** Whether the launch itself, rather than the database, is to blame: what is written for it breaks a rule. */
function isOfLaunch(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? "");
}

/**
 * Of those that something else than capacity blocks, and of the first of each line, the ones whose turn comes before all
 * others of the other kind. Each can change what comes next in the other: one that turns out to need no quota lets others of
 * its account be tried, and one that is placed is followed by the next of its line.
 */
function nextInTurn(due: readonly Due[], firsts: readonly Due[]): Due[] {
  const [one, other] = [due.toSorted(compareTurns), firsts.toSorted(compareTurns)];
  const isBefore = (first: Due, rest: readonly Due[]) => rest[0] === undefined || compareTurns(first, rest[0]) < 0;
  const isDueNext = one[0] !== undefined && isBefore(one[0], other);
  return isDueNext ? one.filter((first) => isBefore(first, other)) : other.filter((first) => isBefore(first, one));
}

async function markPlaced(
  tx: Transaction,
  launched: ReadonlyMap<WaitingRequest, readonly Instance[]>,
): Promise<ReadonlyMap<WaitingRequest, boolean>> {
  const placed = [...launched].map(([{ id }, instances]) => ({
    ...{ id, state: "placed" as const },
    instanceIds: instances.map((one) => one.id),
  }));
  const ended = await endWaits(tx, placed);
  if (ended.length !== placed.length) throw new Error("BUG: a launch was placed that does not wait");
  return new Map([...launched.keys()].map((request) => [request, true]));
}
