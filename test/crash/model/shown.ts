// How each variant shows an instance, and what it costs: the decisions' table "What each variant shows", and section 5.

import type { UsageLine } from "./reading.ts";
import type { Via } from "./requests.ts";
import { limits } from "./scene.ts";
import type { Instance, Moment, State } from "./world.ts";

type Words = Readonly<Record<State, string>>;

export const readWords: Readonly<Record<Via, Words>> = {
  M: {
    booting: "booting",
    active: "active",
    stopping: "active",
    stopped: "stopped",
    terminating: "terminated",
    terminated: "terminated",
  },
  R: {
    booting: "booting",
    active: "active",
    stopping: "stopping",
    stopped: "stopped",
    terminating: "terminated",
    terminated: "terminated",
  },
  D: {
    booting: "rented / 1 / 0",
    active: "rented / 1 / 1",
    stopping: "rented / 1 / 1",
    stopped: "rented / 0 / 0",
    terminating: "terminated / 0 / 0",
    terminated: "terminated / 0 / 0",
  },
  control: {
    booting: "booting",
    active: "active",
    stopping: "stopping",
    stopped: "stopped",
    terminating: "terminating",
    terminated: "terminated",
  },
};

/** Of M's and D's answers to stop, restart and terminate. */
export const operationWords: Words = {
  booting: "booting",
  active: "active",
  stopping: "stopping",
  stopped: "stopping",
  terminating: "terminated",
  terminated: "terminated",
};

/** As lists and reads show it, in the words of reading.ts. `mayWrite`: to a token that may, which sees the password. */
export function shown(via: Via, one: Instance, mayWrite = true): object {
  const { id, name, region, type, cents, percent, keys, fileSystems, image, health, endedBy, failed } = one;
  const ip = one.activeAt !== undefined;
  const hasEnded = one.state === "terminating" || one.state === "terminated";
  const word = readWords[via][one.state];
  const described = { id, name, word, region, type, cents, keys, fileSystems, ip };
  if (via === "D") {
    const prices = { dollars: cents / 100, final: soldAt(cents, percent) };
    const password = one.password && !hasEnded && mayWrite;
    return { id, name, region, type, image, ip, word, ...prices, password };
  }
  return via === "control" ? { ...described, health, endedBy, image, failed, percent, wasActive: ip } : described;
}

/** Dollars an hour after the coupon. */
export function soldAt(cents: number, percent: number): number {
  return Number((((cents / 100) * (100 - percent)) / 100).toFixed(6));
}

/** Whether lists (of M and R) or reads still have it. */
export function isVisible(one: Instance, when: Moment, by: "list" | "read"): boolean {
  if (one.terminatedAt === undefined) return true;
  const seconds = by === "list" ? limits.terminatedVisibleSeconds : limits.terminatedReadableSeconds;
  return when.to - one.terminatedAt.from < seconds;
}

/** What was used: a line for each that was ever active or stopped, its seconds as far as they are known, its cost exactly. */
export function usageOf(own: readonly Instance[], when: Moment) {
  const lines = own.flatMap((one) => (one.billedAt === undefined ? [] : [lineOf(one, one.billedAt, when)]));
  const fits = (shows: unknown) => {
    const used = shows as { lines: readonly UsageLine[]; total: unknown }; // as reading.ts reads it
    const sum = used.lines.reduce((micros, line) => micros + BigInt(line.microCents), 0n);
    const agrees = (line: UsageLine) => lines.some((one) => one.id === line.id && lineFits(one, line));
    return String(sum) === used.total && used.lines.length === lines.length && used.lines.every(agrees);
  };
  return { shows: lines, fits };
}

function lineOf(one: Instance, billedAt: Moment, when: Moment) {
  const { id, cents, percent, endedAt } = one;
  const end = endedAt ?? when;
  const { least: leastDown, most: mostDown } = downSecondsOf(one, billedAt, end);
  // Not less than nothing: what was ended while it became active was used for no time.
  const least = Math.max(0, Math.floor(end.from - billedAt.to - mostDown));
  const most = Math.max(0, Math.ceil(end.to - billedAt.from - leastDown));
  return { id, cents, percent, ended: endedAt !== undefined, least, most };
}

/** How much of the time from `billedAt` to `end` is not billed: each second once, however many reasons it has. */
function downSecondsOf(one: Instance, billedAt: Moment, end: Moment) {
  const { downtime, isDown, unreachableSince, pausedFrom } = one;
  const forever = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  const unreached = unreachableSince === undefined || isDown === "no" ? [] : [unreachableSince];
  const all = [
    ...downtime,
    ...unreached.map((from) => ({ from, to: forever, isSure: isDown === "yes" })),
    ...(pausedFrom === undefined ? [] : [{ from: pausedFrom, to: forever, isSure: true }]),
  ];
  const sure = all.filter(({ isSure }) => isSure);
  return {
    least: covered(sure.map(({ from, to }) => [Math.max(from.to, billedAt.to), Math.min(to.from, end.from)])),
    most: covered(all.map(({ from, to }) => [Math.max(from.from, billedAt.from), Math.min(to.to, end.to)])),
  };
}

/** How many seconds these intervals cover together. */
function covered(intervals: readonly (readonly [from: number, to: number])[]): number {
  let sum = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const [from, to] of intervals.toSorted(([a], [b]) => a - b)) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}

function lineFits(one: ReturnType<typeof lineOf>, line: UsageLine): boolean {
  const share = BigInt(10_000 - Math.round(one.percent * 100));
  const microCents = (BigInt(one.cents) * share * BigInt(line.seconds)) / 36n;
  const isLong = line.seconds >= one.least && line.seconds <= one.most;
  const isPriced = line.cents === one.cents && line.percent === one.percent && line.microCents === String(microCents);
  return isLong && isPriced && line.ended === one.ended;
}
