// What the steps of the check share: a host that answers, and what it said of itself.

import type { Finding } from "../../check/finding.ts";
import { shellQuote } from "../../guest/shell-quote.ts";
import type { Capabilities } from "../host/capabilities.ts";
import type { HostConnection } from "../host-connection.ts";

export interface Subject {
  readonly place: HostConnection;
  readonly capabilities: Capabilities;
}

export type Step = (subject: Subject, signal: AbortSignal) => AsyncGenerator<Finding>;

/** `pool on gpu-1`. */
export function on({ host }: HostConnection, what: string): string {
  return `${what} on ${host.name}`;
}

/** A command of virsh to paste, at that host. */
export function commandAt({ host }: HostConnection, ...words: readonly string[]): string {
  return ["virsh", "-c", host.uri, ...words].map(quotedWhereNeeded).join(" ");
}

function quotedWhereNeeded(word: string): string {
  return /^[\w.:/@+=-]+$/.test(word) ? word : shellQuote(word);
}

/** A word of `pool-info` and its like: `Autostart:      yes`. */
export function fieldIn(text: string, name: string): string | undefined {
  return new RegExp(`^${name}:\\s+(.*?)\\s*$`, "m").exec(text)?.[1];
}
