// Which reads an event invalidates: the first words of their keys, by the event's subject. A read whose subject is not here
// is refetched when its page is opened again.

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
    "gpus",
    "reservations",
  ],
  account: ["account", "accounts"],
  payment: ["balance", "ledger", "payments", "top-ups", "auto-top-up"],
  payment_method: ["payment-methods"],
  auto_top_up: ["auto-top-up"],
  balance: ["balance", "ledger"],
  budget: ["budget-alerts"],
  invoice: ["invoices"],
  token: ["tokens", "account"],
  // The session too: what it may do changes with the role.
  member: ["members", "invitations", "account", "session"],
  launch: ["launches", "offers", "quote"],
  capacity: ["capacity-notices", "offers", "quote"],
  reservation: ["reservations", "reservation-quote", "reservation-calendar", "offers", "quote", "usage", "statements"],
  ssh_key: ["ssh-keys", "account"],
  file_system: ["file-systems", "account"],
  firewall_ruleset: ["firewall"],
  webhook: ["webhooks"],
  maintenance: ["maintenance", "instances", "hosts"],
  host: ["hosts", "capacity", "offers", "engines"],
  gpu: ["hosts", "gpus", "capacity", "offers"],
};

/** Progress, names and rules change only the record: neither capacity nor money. */
const narrow: Readonly<Record<string, readonly string[]>> = {
  "instance.progress": ["instances"],
  "instance.gpu_fault": ["instances", "metrics"],
  "instance.fault_reported": ["instances", "usage", "statements", "gpus"],
  "instance.renamed": ["instances", "usage"],
  "instance.tags_changed": ["instances"],
  "instance.expiring": ["instances"],
  "instance.lifetime_changed": ["instances"],
  "instance.preemption_notice": ["instances", "launches"],
  "instance.preemption_withdrawn": ["instances", "launches"],
  "account.hold_changed": ["account", "accounts", "balance"],
  "account.firewall_changed": ["firewall", "instances"],
};

/** The first words of the keys of all reads that an event of this type invalidates. */
export function touchedBy(eventType: string): readonly string[] {
  const [subject = ""] = eventType.split(".");
  return [...(narrow[eventType] ?? touches[subject] ?? []), "events", "audit-log"];
}
