// Finds instances by name, id, a prefix of either, or the last digits of an id, which names end with. Used by every
// command that takes an instance.
//
// Invariant: a word that matches several instances selects none of them.

import type { Shape } from "../client/client.ts";
import { afterAction, finalState, isLive, isReady, isTransient, mayRun } from "../rules/lifecycle.ts";
import { CommandError, usageError } from "./command-error.ts";
import type { ControlClient } from "./connection/control-client.ts";
import { chosen } from "./names.ts";
import type { Colour } from "./output/screen.ts";
import type { Column } from "./output/table.ts";
import { age, ago, cost, perHour } from "./output/units.ts";

export type Instance = Shape<"Instance">;

/** Shorter parts of an id are too ambiguous. */
const leastPart = 4;

/**
 * The instance that `word` refers to; unterminated ones take precedence. Throws CommandError if none or several
 * match.
 */
export async function instanceOf(client: ControlClient, word: string): Promise<Instance> {
  const all = (await client.ask((api) => api.GET("/instances", { params: { query: {} } }))).data;
  const living = all.filter(({ status }) => status !== finalState);
  return chosen({
    word,
    what: "instance",
    groups: [living, all],
    names: [(one) => one.id, (one) => one.name],
    parts: [
      (one) => one.name.startsWith(word),
      (one) => word.length >= leastPart && (one.id.startsWith(word) || one.id.endsWith(word)),
    ],
    show: ({ id, name, status }) => `${name} (${id}, ${status})`,
    list: "lessor list",
  });
}

/** The instances that the words refer to, each once. */
export async function instancesOf(client: ControlClient, words: readonly string[]): Promise<Instance[]> {
  const found: Instance[] = [];
  for (const word of words) {
    const one = await instanceOf(client, word);
    if (!found.some(({ id }) => id === one.id)) found.push(one);
  }
  if (found.length === 0) throw usageError("Name an instance.", "lessor list shows yours.");
  return found;
}

/** Newest first, as people expect. The service lists the oldest first. */
export function newestFirst(some: readonly Instance[]): Instance[] {
  return some.toReversed().toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}

/** The current state of the instance. Throws CommandError if it no longer exists. */
export async function readInstance(client: ControlClient, id: string): Promise<Instance> {
  return (await client.ask((api) => api.GET("/instances/{id}", { params: { path: { id } } }))).data;
}

/** Its address. Throws CommandError, with the reason, if it has none. */
export function addressOf({ name, status, ip, failure }: Instance): string {
  if (ip !== null && mayRun[status]) return ip;
  const why = failure === null ? "" : ` ${failure.message}`;
  const hint =
    afterAction(status, "restart") !== undefined ? `Start it: lessor restart ${name}.` : `See: lessor show ${name}.`;
  throw new CommandError(`${name} is ${status} and cannot be reached.${why}`, hint, { exit: "does-not-fit" });
}

/** In cents per hour, with its coupon. */
export function priceOf({ instance_type: { price_cents_per_hour: price }, coupon }: Instance): number {
  return (price * (100 - (coupon?.discount_percent ?? 0))) / 100;
}

/** Whether to show it as operators see it: they see the instances of all accounts. */
export function isOperatorView({ host }: Instance): boolean {
  return host !== undefined;
}

export function statusColour({ status, health }: Pick<Instance, "status" | "health">): Colour | undefined {
  if (health !== "ok") return "red";
  if (isReady[status]) return "green";
  return isTransient[status] ? "yellow" : "dim";
}

export function statusText(one: Pick<Instance, "status" | "health" | "progress" | "evict_at">): string {
  const { status, health, progress } = one;
  const eviction = evictionText(one);
  const detail = health === "ok" ? (eviction ?? progress) : health;
  return detail === null || detail === status ? status : `${status} (${detail})`;
}

/** "evicted in 2 minutes" while its notice runs; null otherwise. */
export function evictionText({ status, evict_at: at }: Pick<Instance, "status" | "evict_at">): string | null {
  return at === null || !isLive[status] ? null : `evicted ${ago(at)}`;
}

export const instanceColumns: readonly Column<Instance>[] = [
  { title: "NAME", of: ({ name }) => name, colour: () => "bold" },
  { title: "STATUS", of: statusText, colour: statusColour },
  { title: "ADDRESS", of: ({ ip }) => ip, spare: 2 },
  { title: "TYPE", of: ({ instance_type, spot }) => `${instance_type.name}${spot ? " (spot)" : ""}`, spare: 1 },
  { title: "REGION", of: ({ region }) => region.name, spare: 3 },
  { title: "PRICE", of: (one) => perHour(priceOf(one)), align: "right", spare: 4 },
  { title: "COST", of: ({ cost_cents }) => cost(cost_cents), align: "right" },
  { title: "AGE", of: ({ created_at }) => age(created_at), align: "right", spare: 5 },
  { title: "ID", of: ({ id }) => id, spare: 6 },
];
