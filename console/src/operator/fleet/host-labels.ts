// The states of hosts as the console shows them. Pure; used by every part of the fleet page.

import type { HostDecision, HostState } from "../../../../src/rules/host-lifecycle.ts";

/** Its title, and the color of its badge. */
export const hostStateLabels = {
  up: { title: "Up", color: "green" },
  cordoned: { title: "Cordoned", color: "amber" },
  draining: { title: "Draining", color: "amber" },
  maintenance: { title: "Maintenance", color: "amber" },
  lost: { title: "Lost", color: "red" },
  unreachable: { title: "Unreachable", color: "red" },
} as const satisfies Record<HostState, { readonly title: string; readonly color: string }>;

/** On the buttons. */
export const hostActionTitles = {
  cordon: "Cordon",
  uncordon: "Uncordon",
  drain: "Drain",
} as const satisfies Record<HostDecision, string>;
