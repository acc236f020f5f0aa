// Of an answer's body what the engine reads, in an order that does not depend on the cloud.

/** The keys that the engine and its check read, and those of errors. */
const readKeys = new Set([
  ...["server", "servers", "servers_links", "id", "name", "status", "created", "updated", "tags", "fault", "message"],
  ...["addr", "version", "min_version", "max_version", "OS-EXT-IPS:type", "flavor", "vcpus", "ram", "disk"],
  ...["OS-EXT-STS:power_state", "OS-EXT-STS:task_state", "OS-SRV-USG:launched_at", "OS-EXT-SRV-ATTR:host"],
  ...["host_status", "output", "port", "ports", "description", "device_id", "device_owner", "security_groups"],
  ...["fixed_ips", "ip_address", "security_group", "security_group_rule", "security_group_rules", "direction"],
  ...["ethertype", "protocol", "port_range_min", "port_range_max", "remote_ip_prefix", "floatingip", "floatingips"],
  ...["floating_ip_address", "port_id", "images", "image", "visibility", "size", "disk_format", "min_disk"],
  ...["flavors", "flavors_links", "os-flavor-access:is_public", "original_name", "flavor_access", "tenant_id"],
  ...["hypervisors", "hypervisor_hostname", "state", "service", "services", "host", "zone", "binary", "forced_down"],
  ...["aggregates", "hosts", "limits", "absolute", "maxTotalCores", "maxTotalRAMSize", "maxTotalInstances"],
  ...["resource_providers", "uuid", "parent_provider_uuid", "root_provider_uuid", "total", "reserved"],
  ...["allocation_ratio", "allocation_requests", "allocations", "network", "networks", "router:external", "versions"],
  ...["availabilityZoneInfo", "zoneName", "zoneState", "available", "volume", "volumes", "attachments", "volumeId"],
  ...["volumeAttachment", "volumeAttachments", "serverId", "token", "roles", "is_domain", "methods", "meta"],
  ...["error", "code", "title", "badRequest", "forbidden", "itemNotFound", "conflictingRequest", "computeFault"],
  ...["NeutronError", "type", "errors", "detail", "capacity", "used", "limit", "quota", "capacities", "extensions"],
  ...[
    "overLimit",
    "volumes_links",
    "volume_types",
    "ports_links",
    "alias",
    "remote_console",
    "url",
    "os-extended-volumes:volumes_attached",
  ],
]);

/** What is below these is read whole: their keys are names. */
const whole = new Set([
  "metadata",
  "addresses",
  "extra_specs",
  "resources",
  "usages",
  "inventories",
  "provider_summaries",
]);

export function shape(value: unknown, all = false): unknown {
  if (typeof value === "string") return value.startsWith("<html>") ? pageText(value) : value;
  if (Array.isArray(value)) return ordered(value).map((one) => shape(one));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => all || readKeys.has(key) || whole.has(key));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, shownAs(key, one)]));
}

/** Networks have other names in each cloud. */
function shownAs(key: string, value: unknown): unknown {
  if (key.endsWith("_links")) return "MORE";
  if (key === "addresses" && typeof value === "object" && value !== null)
    return Object.values(value).map((one) => shape(one));
  const shown = shape(value, whole.has(key));
  return key === "security_group_rules" && Array.isArray(shown) ? shown.sort(byText) : shown;
}

/** Neutron sorts them by their ids. */
function byText(a: object, b: object): number {
  const text = (one: object) => JSON.stringify({ ...one, id: 0, tenant_id: 0 });
  return text(a) < text(b) ? -1 : 1;
}

/** By their text, so that lists in another order are the same. */
function ordered(values: readonly unknown[]): unknown[] {
  const plain = values.every((one) => typeof one === "string");
  return plain ? [...values].sort() : [...values];
}

/** What an error of Glance says, without its page. */
function pageText(page: string): string {
  return /<\/h1>\s*([^<]*?)\s*(<br|$)/.exec(page)?.[1] ?? page;
}
