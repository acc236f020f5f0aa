// What to do about errors of the lambda edition: where its clients find what they may name. Used by the error table.

/** Where each is listed, by the field that names it or by what it is called. The first that begins like this. */
const places: readonly (readonly [begins: string, list: string])[] = [
  ["region", "GET /regions"],
  ["instance_type", "GET /instance-types"],
  ["ssh_key", "GET /ssh-keys"],
  ["SSH key", "GET /ssh-keys"],
  ["file", "GET /file-systems"],
  ["image", "GET /images"],
  ["firewall", "GET /firewall-rulesets"],
  ["instance", "GET /instances"],
];

/** Names the lists of what these fields name, or of these things. */
export function listSuggestion(named: readonly string[]): string {
  const lists = named.flatMap((name) => places.find(([begins]) => name.startsWith(begins))?.[1] ?? []);
  if (lists.length === 0) return "Check the name.";
  return `Use one of those that ${[...new Set(lists)].join(" and ")} lists.`;
}

/** What to do about an instance that cannot be restarted in this state. This edition has no stop. */
export function restartSuggestion(state: string): string {
  if (state === "active") return "Halt it from inside, and restart it when GET /instances/{id} shows it as unhealthy.";
  if (state === "stopping") return "Restart it when GET /instances/{id} shows it as unhealthy.";
  if (state === "booting") return "Wait until GET /instances/{id} shows it as active: it is starting already.";
  return "Launch another instance with POST /instance-operations/launch.";
}
