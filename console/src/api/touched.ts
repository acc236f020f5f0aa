// Which reads an event makes out of date: the first word of their keys, by the subject of the event. Used by
// event-stream.tsx; a read whose subject is not here is asked again when its page is opened again.

/** Subject of an event's type (the part before the dot), and the first words of the keys of what it touches. */
const touches: Readonly<Record<string, readonly string[]>> = {
  instance: [
    "instances",
    "account",
    "offers",
    "quote",
    "usage",
    "statements",
    "file-systems",
    "hosts",
    "capacity",
    "engines",
  ],
  account: ["account", "accounts"],
  token: ["tokens", "account"],
  ssh_key: ["ssh-keys", "account"],
  file_system: ["file-systems", "account"],
  firewall_ruleset: ["firewall"],
  webhook: ["webhooks"],
};

/** Progress, names and rules touch the record alone: neither capacity nor money. */
const narrow: Readonly<Record<string, readonly string[]>> = {
  "instance.progress": ["instances"],
  "instance.renamed": ["instances", "usage"],
  "instance.tags_changed": ["instances"],
  "instance.expiring": ["instances"],
  "instance.lifetime_changed": ["instances"],
  "account.firewall_changed": ["firewall", "instances"],
};

/** The first words of the keys of all reads that an event of this type makes out of date. */
export function touchedBy(eventType: string): readonly string[] {
  const [subject = ""] = eventType.split(".");
  return [...(narrow[eventType] ?? touches[subject] ?? []), "events", "audit-log"];
}
