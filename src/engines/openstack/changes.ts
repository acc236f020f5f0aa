// Watches for changed servers by asking Nova what has changed since the last time (`changes-since`), which also tells of
// deleted ones, and where it is configured by listening to Nova's notifications (notifications/). Used by engine.ts.
//
// Invariant: the time of the next question is the service's own, some seconds before its last answer, so that neither a
// clock that differs nor a late commit hides a change. A server that was told of is not told of again until it changes.

import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { checked } from "./client/checked.ts";
import type { Cloud, Region } from "./cloud.ts";
import { machineIdIn } from "./labels.ts";
import { NotificationListener } from "./notifications/listener.ts";
import type { Hint } from "./notifications/message.ts";
import { Trust } from "./notifications/trust.ts";

const ChangedAnswer = Compile(
  Type.Object({
    servers: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        status: Type.String(),
        updated: Type.String(),
        "OS-EXT-STS:task_state": Type.Optional(Type.Union([Type.Null(), Type.String()])),
      }),
    ),
    /** There are more. */
    servers_links: Type.Optional(Type.Array(Type.Unknown())),
  }),
);

const OVERLAP_MS = 5000;
const BOOTING_MS = 1000;
/** Where notifications tell of changes, asking is what finds those that were lost. */
const TRUSTED = { bootingMs: 5000, times: 6, mostMs: 60_000 } as const;
const FAILED_MS = 5000;
const READ_MS = 45_000;

export interface ChangeListener {
  readonly onChange: (machineId: string, status: string) => void;
  /** It answers again, or for the first time: earlier changes might be missing. */
  readonly onGap: () => void;
  /** Whether a machine boots: then it is asked each second. */
  readonly isBooting: () => boolean;
}

/** For tests. */
export interface ChangeParts {
  /** Waits; rejects when the signal aborts. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

export class Changes {
  readonly #cloud: Cloud;
  readonly #listener: ChangeListener;
  readonly #pause: NonNullable<ChangeParts["pause"]>;
  readonly #closing = new AbortController();
  readonly #hurry = new Map<Region, AbortController>();
  readonly #listeners: NotificationListener[] = [];

  constructor(cloud: Cloud, listener: ChangeListener, { pause }: ChangeParts = {}) {
    this.#cloud = cloud;
    this.#listener = listener;
    this.#pause = pause ?? ((milliseconds, signal) => sleep(milliseconds, undefined, { signal, ref: false }));
    for (const region of cloud.regions) {
      void this.#follow(region, this.#listen(region));
    }
  }

  /** A machine begins to boot: the next question comes soon. */
  hurry(): void {
    for (const one of this.#hurry.values()) one.abort();
  }

  close(): void {
    this.#closing.abort();
    for (const one of this.#listeners) one.close();
  }

  /** To notifications, if the region has any. What they might not have told is asked for soon. */
  #listen(region: Region): Trust | undefined {
    const { notifications } = region.settings;
    if (notifications === undefined) return undefined;
    const { client, owner } = this.#cloud;
    const trust = new Trust();
    const listener = new NotificationListener({
      settings: notifications,
      owner,
      project: async (signal) => (await client.project(signal)).id,
      onHint: (hint) => {
        trust.noteHint(hint);
        this.#listener.onChange(hint.machineId, hint.status);
      },
      onBreak: () => {
        trust.reset();
        this.#hurry.get(region)?.abort();
      },
    });
    this.#listeners.push(listener);
    return trust;
  }

  /** Between two questions, in milliseconds. */
  #pauseMs(isTrusted: boolean): number {
    const pollMs = this.#cloud.settings.pollSeconds * 1000;
    if (this.#listener.isBooting())
      return isTrusted ? Math.max(BOOTING_MS, Math.min(pollMs, TRUSTED.bootingMs)) : BOOTING_MS;
    return isTrusted ? Math.max(pollMs, Math.min(pollMs * TRUSTED.times, TRUSTED.mostMs)) : pollMs;
  }

  async #follow(region: Region, trust: Trust | undefined): Promise<void> {
    const { signal } = this.#closing;
    let since: Date | undefined;
    let known = new Map<string, string>();
    while (!signal.aborted) {
      let pauseMs: number;
      try {
        const { servers, date, isWhole } = await this.#read(region, since, signal);
        if (since === undefined || !isWhole) this.#listener.onGap();
        const seen = new Map<string, string>();
        const changed: Hint[] = [];
        for (const server of servers) {
          const { status } = server;
          const state = [status, server.updated, server["OS-EXT-STS:task_state"]].join(" ");
          seen.set(server.id, state);
          const machineId = machineIdIn([server.name]);
          if (machineId !== undefined && known.get(server.id) !== state) changed.push({ machineId, status });
        }
        for (const { machineId, status } of changed) this.#listener.onChange(machineId, status);
        trust?.noteAnswer(changed);
        pauseMs = this.#pauseMs(trust?.isEarned === true);
        known = seen;
        since = new Date(date.getTime() - OVERLAP_MS);
      } catch {
        // How long it does not answer is not known, nor what it then still tells.
        since = undefined;
        pauseMs = FAILED_MS;
      }
      await this.#wait(region, pauseMs, signal);
    }
  }

  /** The names' prefix is a regular expression to Nova. Deleted servers have names, and not always tags. */
  async #read({ place }: Region, since: Date | undefined, signal: AbortSignal) {
    const { client } = this.#cloud;
    const within = AbortSignal.any([signal, AbortSignal.timeout(READ_MS)]);
    const query = since === undefined ? { limit: "1" } : { name: "^lessor-", "changes-since": since.toISOString() };
    const path = "/servers/detail";
    const { body, date = new Date() } = await client.call(place.compute, path, { query }, within);
    const answer = checked(body, ChangedAnswer, path);
    if (since === undefined) return { date, servers: [], isWhole: true };
    return { date, servers: answer.servers, isWhole: answer.servers_links === undefined };
  }

  async #wait(region: Region, pauseMs: number, signal: AbortSignal): Promise<void> {
    const hurry = new AbortController();
    this.#hurry.set(region, hurry);
    const longest = AbortSignal.any([signal, hurry.signal]);
    await this.#pause(pauseMs, longest).catch(() => {});
    // A hurry does not mean at once: many machines may begin to boot.
    if (hurry.signal.aborted && !signal.aborted)
      await this.#pause(Math.min(pauseMs, BOOTING_MS), signal).catch(() => {});
  }
}
