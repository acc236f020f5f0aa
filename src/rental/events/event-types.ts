// Every type of event there is: what it happens to, and what happened. Single source: what may be recorded (record.ts),
// which filters are taken (type-globs.ts) and the table of docs/reference/api/events.md are made from it.
// `webhook.test` is none of them: it comes by asking for it alone (webhooks/delivery.ts), whatever types are wanted.

import { states } from "../../rules/lifecycle.ts";

/** By what it happens to. Of an instance, each state that it enters is one. */
export const eventWords = {
  instance: [
    ...states,
    "failed",
    "unreachable",
    "reachable",
    "progress",
    "expiring",
    "lifetime_changed",
    "renamed",
    "tags_changed",
  ],
  account: ["firewall_changed", "lifetime_changed", "spend_limit_changed", "spend_limit_near", "spend_limit_reached"],
  token: ["created", "revoked", "spend_limit_changed", "spend_limit_near", "spend_limit_reached"],
  ssh_key: ["created", "deleted"],
  file_system: ["created", "deleted"],
  firewall_ruleset: ["created", "changed", "deleted"],
  webhook: ["created", "changed", "secret_rotated", "disabled", "deleted"],
} as const;

export type EventSubject = keyof typeof eventWords;
export type EventWord<S extends EventSubject> = (typeof eventWords)[S][number];
export type EventType = { [S in EventSubject]: `${S}.${EventWord<S>}` }[EventSubject];

/** What events happen to. */
export const eventSubjects: readonly string[] = Object.keys(eventWords);

/** All of them, such as "instance.active". */
export const eventTypes: readonly string[] = Object.entries(eventWords).flatMap(([subject, words]) =>
  words.map((word) => `${subject}.${word}`),
);
