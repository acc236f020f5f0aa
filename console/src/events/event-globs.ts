// The groups of events that filters and webhooks offer.

export const eventGlobs: readonly { readonly value: string; readonly label: string }[] = [
  { value: "instance.*", label: "Instances" },
  { value: "launch.*", label: "Waiting launches" },
  { value: "capacity.*", label: "Capacity notices" },
  { value: "reservation.*", label: "Reservations" },
  { value: "ssh_key.*", label: "SSH keys" },
  { value: "file_system.*", label: "File systems" },
  { value: "token.*", label: "Tokens" },
  { value: "member.*", label: "People" },
  { value: "account.*", label: "The account" },
  { value: "payment.*", label: "Payments" },
  { value: "payment_method.*", label: "Payment methods" },
  { value: "auto_top_up.*", label: "Auto top-up" },
  { value: "balance.*", label: "The balance" },
  { value: "budget.*", label: "Budget alerts" },
  { value: "invoice.*", label: "Invoices" },
  { value: "webhook.*", label: "Webhooks" },
  { value: "firewall_ruleset.*", label: "Firewall rulesets" },
  { value: "maintenance.*", label: "Maintenance" },
];

/** Those of no account, which operators read. */
export const operatorGlobs: typeof eventGlobs = [
  { value: "host.*", label: "Hosts" },
  { value: "gpu.*", label: "GPUs" },
];
