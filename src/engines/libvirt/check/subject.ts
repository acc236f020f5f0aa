// Shared by the steps of the check: a host that responds, and its description of itself.

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

/** A virsh command for that host, to paste. */
export function commandAt({ host }: HostConnection, ...words: readonly string[]): string {
  return ["virsh", "-c", host.uri, ...words].map(quotedWhereNeeded).join(" ");
}

function quotedWhereNeeded(word: string): string {
  return /^[\w.:/@+=-]+$/.test(word) ? word : shellQuote(word);
}

/** A value from `pool-info` and similar output: `Autostart:      yes`. */
export function fieldIn(text: string, name: string): string | undefined {
  return new RegExp(`^${name}:\\s+(.*?)\\s*$`, "m").exec(text)?.[1];
}
