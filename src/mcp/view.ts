// Formats instances and money for agents: short sentences with the important figures. The whole record is sent beside
// them as data.

import type { InstanceRecord } from "./records.ts";

/** A one-line summary of an instance. */
export function instanceLine(one: InstanceRecord): string {
  const state = `${one.status}${one.health === "unreachable" ? " (its host does not respond)" : ""}`;
  const parts = [
    `${one.name} [${one.id}]`,
    one.progress === null ? state : `${state}, ${one.progress}`,
    `${one.instance_type.name}${one.spot ? " (spot)" : ""} in ${one.region.name}`,
    `${dollars(one.instance_type.price_cents_per_hour)}/hour, ${dollars(Number(one.cost_cents))} so far`,
    one.ip === null ? "no address yet" : `ssh ${one.login_user}@${one.ip}`,
  ];
  if (one.evict_at !== null) parts.push(`evicted at ${one.evict_at}`);
  if (one.failure !== null) parts.push(`failed: ${one.failure.message}`);
  return parts.join("; ");
}

/** An amount of cents, whole or not, in dollars. */
export function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

/** "1 instance", "3 instances". */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
