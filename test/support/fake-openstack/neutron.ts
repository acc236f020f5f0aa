// What the fake's Neutron answers about networks, ports and floating addresses. Groups are in neutron-groups.ts.

import {
  errorAnswer,
  type FakeAnswer,
  type FakeCall,
  type FakeRoute,
  list,
  object,
  refusal,
  stamp,
  text,
} from "./exchange.ts";
import { isAdmin } from "./identity.ts";
import type { FakeFloating, FakeNetwork, FakePort, FakeSubnet } from "./networks.ts";
import { groupRoutes, mayUseGroup } from "./neutron-groups.ts";
import { page } from "./neutron-lists.ts";
import { overQuota, quotaOf, usedQuota } from "./neutron-quotas.ts";
import type { FakeWorld } from "./world.ts";

const extensions = [
  "address-group",
  "external-net",
  "port-security",
  "project-id",
  "quotas",
  "router",
  "security-group",
];
const more = [
  "standard-attr-tag",
  "standard-attr-description",
  "filter-validation",
  "pagination",
  "sorting",
  "binding",
];

export function neutronRoutes(world: FakeWorld): readonly FakeRoute[] {
  const { networks } = world;
  return [
    [
      "GET",
      /^\/v2\.0\/extensions$/,
      () => ({ status: 200, body: { extensions: [...extensions, ...more].map(extension) } }),
    ],
    ["GET", /^\/v2\.0\/agents$/, () => ({ status: 200, body: { agents: [] } })],
    ["GET", /^\/v2\.0\/networks$/, (call) => page(call, "networks", seen(call, networks.networks).map(shownNetwork))],
    [
      "GET",
      /^\/v2\.0\/networks\/([^/]+)$/,
      (call, id = "") => answer(call, "network", shownNetwork(networkOf(world, call, id))),
    ],
    ["GET", /^\/v2\.0\/subnets$/, (call) => page(call, "subnets", seen(call, networks.networks).map(shownSubnet))],
    ["GET", /^\/v2\.0\/subnets\/([^/]+)$/, (call, id = "") => subnet(world, call, id)],
    [
      "GET",
      /^\/v2\.0\/ports$/,
      (call) =>
        page(
          call,
          "ports",
          owned(call, networks.ports).map((one) => shownPort(world, call, one)),
        ),
    ],
    ["POST", /^\/v2\.0\/ports$/, (call) => createPort(world, call)],
    [
      "GET",
      /^\/v2\.0\/ports\/([^/]+)$/,
      (call, id = "") => answer(call, "port", shownPort(world, call, portOf(world, call, id))),
    ],
    ["PUT", /^\/v2\.0\/ports\/([^/]+)$/, (call, id = "") => changePort(world, call, id)],
    ["DELETE", /^\/v2\.0\/ports\/([^/]+)$/, (call, id = "") => removePort(world, call, id)],
    [
      "GET",
      /^\/v2\.0\/floatingips$/,
      (call) =>
        page(
          call,
          "floatingips",
          owned(call, networks.floatings).map((one) => shownFloating(world, one)),
        ),
    ],
    ["POST", /^\/v2\.0\/floatingips$/, (call) => createFloating(world, call)],
    [
      "GET",
      /^\/v2\.0\/floatingips\/([^/]+)$/,
      (call, id = "") => answer(call, "floatingip", shownFloating(world, floatingOf(world, call, id))),
    ],
    ["PUT", /^\/v2\.0\/floatingips\/([^/]+)$/, (call, id = "") => changeFloating(world, call, id)],
    ["DELETE", /^\/v2\.0\/floatingips\/([^/]+)$/, (call, id = "") => removeFloating(world, call, id)],
    ["GET", /^\/v2\.0\/quotas\/([^/]+)$/, () => ({ status: 200, body: { quota: quotaOf(world) } })],
    [
      "GET",
      /^\/v2\.0\/quotas\/([^/]+)\/details\.json$/,
      (call) => ({ status: 200, body: { quota: usedQuota(world, call) } }),
    ],
    ...groupRoutes(world),
  ];
}

export function neutronVersions(base: string): object {
  return { versions: [{ id: "v2.0", status: "CURRENT", links: [{ rel: "self", href: `${base}/v2.0/` }] }] };
}

function owned<T extends { readonly project: string }>({ caller }: FakeCall, all: ReadonlyMap<string, T>): T[] {
  return [...all.values()].filter(({ project }) => isAdmin(caller) || project === caller.project.id);
}

function seen({ caller }: FakeCall, all: ReadonlyMap<string, FakeNetwork>): FakeNetwork[] {
  return [...all.values()].filter(
    (one) => isAdmin(caller) || one.shared || one.external || one.project === caller.project.id,
  );
}

function answer({ query }: FakeCall, name: string, body: Record<string, unknown>): FakeAnswer {
  const fields = query.getAll("fields");
  const some =
    fields.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([key]) => fields.includes(key)));
  return { status: 200, body: { [name]: some } };
}

function networkOf({ networks }: FakeWorld, call: FakeCall, id: string): FakeNetwork {
  const network = seen(call, networks.networks).find((one) => one.id === id);
  if (network === undefined) throw refusal("network", 404, `Network ${id} could not be found.`, "NetworkNotFound");
  return network;
}

function portOf({ networks }: FakeWorld, call: FakeCall, id: string): FakePort {
  const port = owned(call, networks.ports).find((one) => one.id === id);
  if (port === undefined) throw refusal("network", 404, `Port ${id} could not be found.`, "PortNotFound");
  return port;
}

function floatingOf({ networks }: FakeWorld, call: FakeCall, id: string): FakeFloating {
  const floating = owned(call, networks.floatings).find((one) => one.id === id);
  if (floating === undefined)
    throw refusal("network", 404, `Floating IP ${id} could not be found`, "FloatingIPNotFound");
  return floating;
}

function subnet({ networks }: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const network = seen(call, networks.networks).find((one) => one.subnet.id === id);
  if (network === undefined) return errorAnswer("network", 404, `Subnet ${id} could not be found.`, "SubnetNotFound");
  return answer(call, "subnet", shownSubnet(network));
}

function createPort(world: FakeWorld, call: FakeCall): FakeAnswer {
  const { networks } = world;
  const said = object(call.json.port);
  const network = networkOf(world, call, text(said.network_id) ?? "");
  const groups = said.security_groups === undefined ? undefined : list(said.security_groups).map(String);
  for (const id of groups ?? []) mayUseGroup(world, call, id);
  const project = text(said.project_id) ?? call.caller.project.id;
  overQuota(world, "port", [...networks.ports.values()].filter((one) => one.project === project).length);
  const [name, description] = [text(said.name) ?? "", text(said.description) ?? ""];
  const port = networks.addPort({ project, network, name, description, ...(groups === undefined ? {} : { groups }) });
  if (port === undefined) {
    const why = `No more IP addresses available on network ${network.id}.`;
    return errorAnswer("network", 409, why, "IpAddressGenerationFailure");
  }
  return { status: 201, body: { port: shownPort(world, call, port) } };
}

function changePort(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const port = portOf(world, call, id);
  const said = object(call.json.port);
  port.name = text(said.name) ?? port.name;
  port.description = text(said.description) ?? port.description;
  if (said.security_groups !== undefined) {
    const groups = list(said.security_groups).map(String);
    for (const one of groups) mayUseGroup(world, call, one);
    port.groups = groups;
  }
  port.updated = world.now();
  return { status: 200, body: { port: shownPort(world, call, port) } };
}

/** Also one that a server has, as Neutron does. */
function removePort(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const port = portOf(world, call, id);
  world.networks.removePort(port);
  const server = world.servers.get(port.device);
  if (server !== undefined) server.ports = server.ports.filter((one) => one !== port);
  return { status: 204 };
}

function createFloating(world: FakeWorld, call: FakeCall): FakeAnswer {
  const { networks } = world;
  const said = object(call.json.floatingip);
  const network = networkOf(world, call, text(said.floating_network_id) ?? "");
  if (!network.external) {
    const why = `Bad floatingip request: Network ${network.id} is not a valid external network.`;
    return errorAnswer("network", 400, why, "BadRequest");
  }
  const project = call.caller.project.id;
  const port =
    said.port_id === undefined || said.port_id === null ? undefined : portOf(world, call, String(said.port_id));
  overQuota(world, "floatingip", [...networks.floatings.values()].filter((one) => one.project === project).length);
  free(world, port, network);
  const floating = networks.addFloating(project, network, text(said.description) ?? "");
  if (floating === undefined) {
    const why = `No more IP addresses available on network ${network.id}.`;
    return errorAnswer("network", 409, why, "IpAddressGenerationFailure");
  }
  floating.port = port;
  return { status: 201, body: { floatingip: shownFloating(world, floating) } };
}

function changeFloating(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const floating = floatingOf(world, call, id);
  const said = object(call.json.floatingip);
  if (typeof said.port_id === "string") {
    const port = portOf(world, call, said.port_id);
    if (port !== floating.port) free(world, port, floating.network);
    floating.port = port;
  } else if (said.port_id === null) floating.port = undefined;
  floating.description = text(said.description) ?? floating.description;
  floating.updated = world.now();
  return { status: 200, body: { floatingip: shownFloating(world, floating) } };
}

function removeFloating(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  world.networks.floatings.delete(floatingOf(world, call, id).id);
  return { status: 204 };
}

function free({ networks }: FakeWorld, port: FakePort | undefined, network: FakeNetwork): void {
  const other = port === undefined ? undefined : networks.floatingOf(port);
  if (port === undefined || other === undefined) return;
  const words = `using fixed IP ${port.address}, as that fixed IP already has a floating IP on external network ${network.id}.`;
  const why = `Cannot associate floating IP ${other.address} (${other.id}) with port ${port.id} ${words}`;
  throw refusal("network", 409, why, "FloatingIPPortAlreadyAssociated");
}

function extension(alias: string): object {
  return { name: alias, alias, description: alias, updated: "2015-01-01T10:00:00-00:00", links: [] };
}

function shownNetwork({ id, name, project, shared, external, subnet, created }: FakeNetwork): Record<string, unknown> {
  return {
    ...{
      id,
      name,
      tenant_id: project,
      admin_state_up: true,
      mtu: 1500,
      status: "ACTIVE",
      subnets: [subnet.id],
      shared,
    },
    ...{ availability_zone_hints: [], availability_zones: [], ipv4_address_scope: null, ipv6_address_scope: null },
    ...{ "router:external": external, description: "", port_security_enabled: true, tags: [] },
    ...{ created_at: stamp(created), updated_at: stamp(created), revision_number: 2, project_id: project },
  };
}

function shownSubnet({ id: network_id, project, subnet, created }: FakeNetwork): Record<string, unknown> {
  const { id, name, cidr, prefix }: FakeSubnet = subnet;
  return {
    ...{ id, name, tenant_id: project, network_id, ip_version: 4, subnetpool_id: null, enable_dhcp: true },
    ...{ ipv6_ra_mode: null, ipv6_address_mode: null, gateway_ip: `${prefix}.0.1`, cidr },
    allocation_pools: [{ start: `${prefix}.0.2`, end: `${prefix}.255.254` }],
    ...{ host_routes: [], dns_nameservers: [], description: "", service_types: [], tags: [] },
    ...{ created_at: stamp(created), updated_at: stamp(created), revision_number: 0, project_id: project },
  };
}

function shownPort(world: FakeWorld, { caller }: FakeCall, port: FakePort): Record<string, unknown> {
  const { id, name, description, network, project, mac, address, groups, device, host, tags } = port;
  const binding = {
    ...{ "binding:profile": {}, "binding:host_id": host, "binding:vif_type": host === "" ? "unbound" : "bridge" },
    "binding:vif_details": host === "" ? {} : { port_filter: true },
  };
  return {
    ...{ id, name, network_id: network.id, tenant_id: project, mac_address: mac, admin_state_up: true },
    ...{
      status: host === "" ? "DOWN" : "ACTIVE",
      device_id: device,
      device_owner: ownerOf(world, port),
    },
    fixed_ips: [{ subnet_id: network.subnet.id, ip_address: address }],
    ...{ allowed_address_pairs: [], extra_dhcp_opts: [], security_groups: groups, description },
    ...{
      "binding:vnic_type": "normal",
      ...(isAdmin(caller) ? binding : {}),
      port_security_enabled: true,
      tags: [...tags],
    },
    ...{ created_at: stamp(port.created), updated_at: stamp(port.updated), revision_number: 1, project_id: project },
  };
}

function shownFloating(
  world: FakeWorld,
  { id, project, network, address, description, port, tags, created, updated }: FakeFloating,
): Record<string, unknown> {
  const details = port && {
    ...{ name: port.name, network_id: port.network.id, mac_address: port.mac, admin_state_up: true },
    ...{
      status: port.host === "" ? "DOWN" : "ACTIVE",
      device_id: port.device,
      device_owner: ownerOf(world, port),
    },
  };
  return {
    ...{ id, tenant_id: project, floating_ip_address: address, floating_network_id: network.id, router_id: null },
    ...{ port_id: port?.id ?? null, fixed_ip_address: port?.address ?? null, status: "DOWN", description },
    ...{ port_details: details ?? null, tags: [...tags], created_at: stamp(created), updated_at: stamp(updated) },
    ...{ revision_number: 0, project_id: project },
  };
}

/** The zone of the host that it is bound to. */
function ownerOf({ hosts }: FakeWorld, { device, host }: FakePort): string {
  return device === "" ? "" : `compute:${hosts.zoneOf(host)}`;
}
