// The kinds of events to choose from, as the service takes them in filters. Used by the events page and by webhooks.

export const eventGlobs: readonly { readonly value: string; readonly label: string }[] = [
  { value: "instance.*", label: "Instances" },
  { value: "ssh_key.*", label: "SSH keys" },
  { value: "file_system.*", label: "File systems" },
  { value: "token.*", label: "Tokens" },
  { value: "account.*", label: "The account" },
  { value: "webhook.*", label: "Webhooks" },
  { value: "firewall_ruleset.*", label: "Firewall rulesets" },
];
