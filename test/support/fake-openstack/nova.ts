// What the fake's Nova answers besides servers (nova-servers.ts) and flavors (nova-flavors.ts): its versions, and what is
// for admins only.

import { errorAnswer, type FakeAnswer, type FakeCall, type FakeRoute, microStamp, text } from "./exchange.ts";
import type { FakeAggregate, FakeHost } from "./hosts.ts";
import { actionRoutes } from "./nova-actions.ts";
import { admitted } from "./nova-checks.ts";
import { flavorRoutes } from "./nova-flavors.ts";
import { serverRoutes } from "./nova-servers.ts";
import type { FakeWorld } from "./world.ts";

export function novaRoutes(world: FakeWorld, openConsole: (server: string) => string): readonly FakeRoute[] {
  const { hosts } = world;
  return [
    ...serverRoutes(world),
    ...actionRoutes(world, openConsole),
    ...flavorRoutes(world),
    ["GET", /^\/v2\.1\/limits$/, (call) => ({ status: 200, body: { limits: limits(world, call) } })],
    [
      "GET",
      /^\/v2\.1\/os-quota-sets\/([^/]+)$/,
      (_call, id = "") => ({ status: 200, body: { quota_set: quotas(world, id) } }),
    ],
    ["GET", /^\/v2\.1\/os-services$/, (call) => services(world, call)],
    ["PUT", /^\/v2\.1\/os-services\/([^/]+)$/, (call, id = "") => changeService(world, call, id)],
    ["GET", /^\/v2\.1\/os-aggregates$/, (call) => aggregates(world, call)],
    ["GET", /^\/v2\.1\/os-aggregates\/(\d+)$/, (call, id = "") => aggregate(world, call, id)],
    ["GET", /^\/v2\.1\/os-hypervisors$/, (call) => hypervisors(world, call, "list", briefHypervisor)],
    ["GET", /^\/v2\.1\/os-hypervisors\/detail$/, (call) => hypervisors(world, call, "list-detail", shownHypervisor)],
    ["GET", /^\/v2\.1\/os-availability-zone$/, () => ({ status: 200, body: { availabilityZoneInfo: zones(world) } })],
    [
      "GET",
      /^\/v2\.1\/os-availability-zone\/detail$/,
      (call) => {
        admitted(call, "os-availability-zone:detail");
        const detail = zones(world).map((zone) => ({
          ...zone,
          hosts: Object.fromEntries(
            [...hosts.hosts.values()]
              .filter(({ name }) => hosts.zoneOf(name) === zone.zoneName)
              .map(({ name, down, disabled }) => [name, { "nova-compute": { available: !down, active: !disabled } }]),
          ),
        }));
        return { status: 200, body: { availabilityZoneInfo: detail } };
      },
    ],
  ];
}

export function novaVersions(base: string, newest: number): object {
  const link = (href: string) => [{ rel: "self", href }];
  const old = { id: "v2.0", status: "SUPPORTED", version: "", min_version: "", updated: "2011-01-21T11:33:21Z" };
  return {
    versions: [
      { ...old, links: link(`${base}/v2/`) },
      { ...current(newest), links: link(`${base}/v2.1/`) },
    ],
  };
}

export function novaVersion(base: string, newest: number): object {
  const media = [{ base: "application/json", type: "application/vnd.openstack.compute+json;version=2.1" }];
  const links = [{ rel: "self", href: `${base}/v2.1/` }];
  return { version: { ...current(newest), links, "media-types": media } };
}

function current(newest: number) {
  const [id, status, min_version] = ["v2.1", "CURRENT", "2.1"];
  return { id, status, version: `2.${newest}`, min_version, updated: "2013-07-23T11:33:21Z" };
}

function limits(world: FakeWorld, { caller }: FakeCall): object {
  const own = [...world.servers.values()].filter(
    (one) => one.project === caller.project.id && one.status !== "DELETED",
  );
  const { instances, cores, ram } = world.quotas;
  return {
    rate: [],
    absolute: {
      ...{ maxTotalInstances: instances, maxTotalCores: cores, maxTotalRAMSize: ram, maxServerMeta: 128 },
      ...{ maxTotalKeypairs: 100, maxServerGroups: 10, maxServerGroupMembers: 10, totalServerGroupsUsed: 0 },
      totalRAMUsed: own.reduce((sum, { flavor }) => sum + flavor.ram, 0),
      totalCoresUsed: own.reduce((sum, { flavor }) => sum + flavor.vcpus, 0),
      totalInstancesUsed: own.length,
    },
  };
}

function quotas({ quotas }: FakeWorld, id: string): object {
  const { instances, cores, ram } = quotas;
  return {
    id,
    cores,
    instances,
    key_pairs: 100,
    metadata_items: 128,
    ram,
    server_group_members: 10,
    server_groups: 10,
  };
}

function services(world: FakeWorld, call: FakeCall): FakeAnswer {
  admitted(call, "os-services:list");
  const [binary, host] = [call.query.get("binary"), call.query.get("host")];
  const rows = [...world.hosts.hosts.values()].map((one) => shownService(world, one));
  const controls = ["nova-conductor", "nova-scheduler"].map((name) => ({
    ...{ binary: name, host: "ctl", id: crypto.randomUUID(), zone: "internal", status: "enabled", state: "up" },
    ...{ updated_at: microStamp(world.now()), disabled_reason: null, forced_down: false },
  }));
  const found = [...controls, ...rows].filter(
    (one) => (binary === null || one.binary === binary) && (host === null || one.host === host),
  );
  return { status: 200, body: { services: found } };
}

function changeService(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  admitted(call, "os-services:update");
  const host = [...world.hosts.hosts.values()].find(({ serviceId }) => serviceId === id);
  if (host === undefined) return errorAnswer("compute", 404, `Service ${id} not found.`);
  const { status, forced_down, disabled_reason } = call.json;
  if (status !== undefined) host.disabled = status === "disabled";
  if (status !== undefined) host.disabledReason = host.disabled ? (text(disabled_reason) ?? null) : null;
  if (typeof forced_down === "boolean") host.down = forced_down;
  return { status: 200, body: { service: shownService(world, host) } };
}

function shownService(world: FakeWorld, { name, serviceId, down, disabled, disabledReason }: FakeHost) {
  return {
    ...{ binary: "nova-compute", host: name, id: serviceId, zone: world.hosts.zoneOf(name) },
    ...{ status: disabled ? "disabled" : "enabled", state: down ? "down" : "up" },
    ...{ updated_at: microStamp(world.now()), disabled_reason: disabledReason, forced_down: down },
  };
}

function aggregates({ hosts }: FakeWorld, call: FakeCall): FakeAnswer {
  admitted(call, "os-aggregates:index");
  return { status: 200, body: { aggregates: hosts.aggregates.map(shownAggregate) } };
}

function aggregate({ hosts }: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  admitted(call, "os-aggregates:show");
  const found = hosts.aggregates.find((one) => String(one.id) === id);
  if (found === undefined) return errorAnswer("compute", 404, `Aggregate ${id} could not be found.`);
  return { status: 200, body: { aggregate: shownAggregate(found) } };
}

function shownAggregate({ id, uuid, name, zone, hosts, created }: FakeAggregate): object {
  const times = { created_at: microStamp(created), updated_at: null, deleted_at: null, deleted: false };
  const metadata = zone === null ? {} : { availability_zone: zone };
  return { id, uuid, name, hosts, metadata, ...times, availability_zone: zone };
}

function hypervisors({ hosts }: FakeWorld, call: FakeCall, rule: string, show: (host: FakeHost) => object): FakeAnswer {
  admitted(call, `os-hypervisors:${rule}`);
  const pattern = call.query.get("hypervisor_hostname_pattern");
  const found = [...hosts.hosts.values()].filter(({ name }) => pattern === null || name.includes(pattern));
  return { status: 200, body: { hypervisors: found.map(show) } };
}

function briefHypervisor({ id, name, down, disabled }: FakeHost): object {
  return { id, hypervisor_hostname: name, state: down ? "down" : "up", status: disabled ? "disabled" : "enabled" };
}

function shownHypervisor(host: FakeHost): object {
  return {
    ...briefHypervisor(host),
    ...{ hypervisor_type: "fake", hypervisor_version: 1000, host_ip: "127.0.0.1", uptime: null },
    service: { id: host.serviceId, host: host.name, disabled_reason: host.disabledReason },
  };
}

function zones({ hosts }: FakeWorld) {
  return [...hosts.zones].sort().map((zoneName) => ({ zoneName, zoneState: { available: true }, hosts: null }));
}
