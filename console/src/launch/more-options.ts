// The values under "More options" as they are typed, and their errors. The rules are the service's own files. Pure.

import { leastLifetimeSeconds, mostLifetimeSeconds } from "../../../src/rules/account-limits.ts";
import { secondsPerHour } from "../../../src/rules/cost.ts";
import { checkMountPoint, defaultMountPoint, overlapping } from "../../../src/rules/mount-points.ts";
import { checkUserData } from "../../../src/rules/user-data.ts";
import { type IdleChoice, idleProblem } from "../instances/idle-choice.ts";
import { checkTags, hasProblems, type TagLine, type TagProblems, tagsOf } from "../instances/tag-lines.ts";
import { priceOf } from "../shared/format-money.ts";
import { formatNumber } from "../shared/format-number.ts";
import { centsOf } from "../shared/parse-money.ts";

/** A file system that was chosen. */
export interface ChosenFileSystem {
  readonly id: string;
  readonly name: string;
  /** As typed; empty: the service's default. */
  readonly mountPoint: string;
}

export interface MoreOptions {
  readonly fileSystems: readonly ChosenFileSystem[];
  readonly tags: readonly TagLine[];
  /** For cloud-init. */
  readonly userData: string;
  /** Hours, as typed; empty: the account's limit. */
  readonly lifetime: string;
  /** Dollars per hour, as typed; empty: no limit. */
  readonly maxPrice: string;
  /** Applies only without an SSH key. */
  readonly password: boolean;
  readonly idle: IdleChoice;
  /** For operators: labels that its hosts have, as typed; empty: it can be on any. */
  readonly hostSelector: string;
}

/** What the checks also depend on. */
export interface Bounds {
  /** The account's maximum lifetime; null: unlimited. */
  readonly mostSeconds: number | null;
  /** The price per hour of the chosen instance type; undefined: none is chosen. */
  readonly priceCents: number | undefined;
  /** GPUs of that instance type; undefined: none is chosen. */
  readonly gpus: number | undefined;
  /** Whether the chosen image has the agent; undefined: not known. */
  readonly hasMetrics: boolean | undefined;
}

interface OptionProblems {
  readonly userData: string | undefined;
  /** By the id of the file system. */
  readonly mountPoints: ReadonlyMap<string, string>;
  readonly lifetime: string | undefined;
  readonly maxPrice: string | undefined;
  readonly idle: string | undefined;
  readonly tags: TagProblems;
}

export function checkOptions(options: MoreOptions, { mostSeconds, priceCents, ...bounds }: Bounds): OptionProblems {
  return {
    userData: checkUserData(options.userData),
    mountPoints: mountProblems(options.fileSystems),
    lifetime: lifetimeProblem(options.lifetime, mostSeconds),
    maxPrice: priceProblem(options.maxPrice, priceCents),
    idle: idleProblem(options.idle, bounds),
    tags: checkTags(options.tags),
  };
}

/** What has to be fixed first, named as in the form; undefined: nothing. */
export function firstWrong(problems: OptionProblems): string | undefined {
  if (problems.userData !== undefined) return "user data";
  if (problems.lifetime !== undefined) return "maximum lifetime";
  if (problems.maxPrice !== undefined) return "maximum price";
  if (problems.idle !== undefined) return "idle rule";
  if (hasProblems(problems.tags)) return "tags";
  return problems.mountPoints.size > 0 ? "mount points" : undefined;
}

/** How many of them are set to something. */
export function countSet(options: MoreOptions): number {
  const { fileSystems, userData, lifetime, maxPrice, password, idle, tags, hostSelector } = options;
  const mountPoints = fileSystems.map(({ mountPoint }) => mountPoint.trim() !== "");
  const texts = [userData, lifetime, maxPrice, hostSelector].map((text) => text.trim() !== "");
  return [...texts, tagsOf(tags).length > 0, password, idle.action !== "none", ...mountPoints].filter(Boolean).length;
}

/** Hours as typed, in seconds; null if empty; undefined if not a number. */
export function lifetimeSeconds(hours: string): number | null | undefined {
  if (hours.trim() === "") return null;
  return /^(\d{1,9}(\.\d*)?|\.\d+)$/.test(hours.trim()) ? Math.round(Number(hours) * 3600) : undefined;
}

/** As typed, in seconds; undefined if there is none, or it is wrong. */
export function validLifetime(hours: string, mostSeconds: number | null): number | undefined {
  return lifetimeProblem(hours, mostSeconds) === undefined ? (lifetimeSeconds(hours) ?? undefined) : undefined;
}

/** A lifetime in hours, of which not all are whole: "8 h", "0.5 h". */
export function hoursOf(seconds: number): string {
  return `${formatNumber(seconds / 3600)} h`;
}

/** The maximum cost over its lifetime: `hourly` in micro-cents, after a coupon. Rounded down, as the bill is. */
export function costOfLifetime(hourly: string, seconds: number): bigint {
  return (BigInt(hourly) * BigInt(seconds)) / secondsPerHour;
}

function mountProblems(all: readonly ChosenFileSystem[]): ReadonlyMap<string, string> {
  const mounts = all.map((one) => ({
    ...one,
    isOwn: one.mountPoint !== "",
    mountPoint: one.mountPoint === "" ? defaultMountPoint(one.name) : one.mountPoint,
  }));
  const broken = mounts.flatMap(({ id, isOwn, mountPoint }): [string, string][] => {
    const problem = isOwn ? checkMountPoint(mountPoint) : undefined;
    return problem === undefined ? [] : [[id, problem]];
  });
  const clash = broken.length > 0 ? undefined : overlapping(mounts);
  if (clash === undefined) return new Map(broken);
  const [outer, inner] = clash;
  const [told, other] = inner.isOwn ? [inner, outer] : [outer, inner];
  return new Map([[told.id, `It overlaps with ${other.name} at ${other.mountPoint}.`]]);
}

function lifetimeProblem(hours: string, mostSeconds: number | null): string | undefined {
  const seconds = lifetimeSeconds(hours);
  if (seconds === null) return undefined;
  if (seconds === undefined) return "Enter a number of hours, such as 8 or 0.5.";
  if (seconds < leastLifetimeSeconds) return "Enter at least one minute.";
  const most = Math.min(mostSeconds ?? mostLifetimeSeconds, mostLifetimeSeconds);
  return seconds > most ? `Enter at most ${hoursOf(most)}.` : undefined;
}

function priceProblem(dollars: string, priceCents: number | undefined): string | undefined {
  const cents = centsOf(dollars);
  if (cents === null) return undefined;
  if (cents === undefined) return "Enter an amount in dollars, such as 2.50.";
  return priceCents === undefined || priceCents <= cents
    ? undefined
    : `It costs ${priceOf(priceCents)} per hour now, so the launch would be rejected.`;
}
