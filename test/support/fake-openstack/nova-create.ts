// What the fake's Nova checks of a POST /servers before it says 202; what it finds only afterwards is in life.ts.

import { type FakeCall, list, object, refusal, text } from "./exchange.ts";
import type { HowItGoes, ServerOrder } from "./life.ts";
import type { FakeNetwork, FakePort } from "./networks.ts";
import { admitted, checkedMetadata, checkedTags, tooMuchMetadata, usable } from "./nova-checks.ts";
import type { FakeFlavor } from "./servers.ts";
import type { FakeWorld } from "./world.ts";

const field = "Invalid input for field/attribute";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const properties = [
  ...["name", "imageRef", "flavorRef", "networks", "metadata", "user_data", "config_drive", "availability_zone"],
  ...["security_groups", "key_name", "min_count", "max_count", "block_device_mapping_v2", "adminPass", "personality"],
  ...["return_reservation_id", "accessIPv4", "accessIPv6", "OS-DCF:diskConfig"],
];
/** Since which microversion. */
const newer: Readonly<Record<string, number>> = {
  ...{ description: 19, tags: 52, trusted_image_certificates: 63, host: 74, hypervisor_hostname: 74, hostname: 90 },
};

export function checkedOrder(
  world: FakeWorld,
  call: FakeCall,
): { readonly order: ServerOrder; readonly fault: HowItGoes } {
  const said = object(call.json.server);
  checkSchema(said, call.version);
  const metadata = checkedMetadata(said.metadata);
  const tags = checkedTags(said.tags);
  const place = placeOf(world, call, said);
  tooMuchMetadata(metadata);
  const flavor = flavorOf(world, call, text(said.flavorRef) ?? "");
  const disks = list(said.block_device_mapping_v2).map(object);
  const volumes = disks.flatMap(({ source_type, uuid }) => (source_type === "volume" ? (text(uuid) ?? []) : []));
  for (const id of volumes) mayUseVolume(world, call, id);
  const image = imageOf(world, call, text(said.imageRef));
  const { ports, networks } = networksOf(world, call, said.networks);
  checkQuota(world, call, flavor);
  const order: ServerOrder = {
    ...{ name: text(said.name) ?? "", description: text(said.description) ?? null, body: said },
    ...{ project: call.caller.project.id, user: call.caller.user.id, flavor, metadata, tags, ports, networks, volumes },
    ...{ ...place, ...(image === undefined ? {} : { image }), userData: text(said.user_data) ?? null },
    configDrive: said.config_drive === true || said.config_drive === "True" || said.config_drive === "true",
  };
  const { hold, spawn } = call.fault;
  return { order, fault: { held: hold === true, ...(spawn === undefined ? {} : { spawn }) } };
}

function checkSchema(said: ReturnType<typeof object>, version: number): void {
  const refuse = (what: string, why: string) => refusal("compute", 400, `${field} ${what}. Value: ${why}`);
  const odd = Object.keys(said).find(
    (key) => !properties.includes(key) && version < (newer[key] ?? Number.POSITIVE_INFINITY),
  );
  if (odd !== undefined) throw refuse("server", `{}. Additional properties are not allowed ('${odd}' was unexpected)`);
  const required = ["name", "flavorRef", ...(version >= 37 ? ["networks"] : [])].find((key) => said[key] === undefined);
  if (required !== undefined) throw refuse("server", `{}. '${required}' is a required property`);
  const [name, userData] = [text(said.name) ?? "", text(said.user_data) ?? ""];
  if (name === "") throw refuse("name", `. '' is too short`);
  if (name.length > 255) throw refuse("name", `${name}. '${name}' is too long`);
  if (userData.length > 65_535) throw refuse("user_data", `${userData.slice(0, 40)}. is too long`);
}

/** Where it is to be: a zone, a host, or a host within a zone. Only admins may name a host. */
function placeOf(
  world: FakeWorld,
  call: FakeCall,
  said: ReturnType<typeof object>,
): Pick<ServerOrder, "host" | "zone"> {
  const [zone, forced] = text(said.availability_zone)?.split(":") ?? [];
  const host = text(said.host) ?? text(said.hypervisor_hostname);
  if (host !== undefined) admitted(call, "compute:servers:create:requested_destination");
  if (forced !== undefined && forced !== "") admitted(call, "servers:create:forced_host");
  if (host !== undefined && forced !== undefined) {
    const why = "One mechanism with host and/or hypervisor_hostname and another mechanism with zone:host:node";
    throw refusal("compute", 400, `${why} are mutually exclusive.`);
  }
  if (host !== undefined && !world.hosts.hosts.has(host))
    throw refusal("compute", 400, `Compute host ${host} could not be found.`);
  if (zone !== undefined && zone !== "" && forced === undefined && !world.hosts.zones.has(zone))
    throw refusal("compute", 400, "The requested availability zone is not available");
  // A host that is forced with its zone is not checked against it.
  if (forced !== undefined && forced !== "") return { host: forced };
  return { host, ...(zone === undefined || zone === "" ? {} : { zone }) };
}

function flavorOf({ flavors }: FakeWorld, call: FakeCall, id: string): FakeFlavor {
  const flavor = flavors.get(id);
  if (flavor === undefined || !usable(call, flavor)) throw refusal("compute", 400, `Flavor ${id} could not be found.`);
  return flavor;
}

function imageOf({ images }: FakeWorld, { caller }: FakeCall, id: string | undefined): string | undefined {
  if (id === undefined || id === "") return undefined;
  if (!uuid.test(id))
    throw refusal(
      "compute",
      400,
      `${field} imageRef. Value: ${id}. '${id}' is not valid under any of the given schemas`,
    );
  const image = images.get(id);
  const seen = image?.visibility === "public" || image?.owner === caller.project.id;
  if (image === undefined || !seen) throw refusal("compute", 400, "Can not find requested image");
  if (image.status !== "active") throw refusal("compute", 400, `Image ${id} is not active.`);
  return id;
}

function mayUseVolume({ volumes }: FakeWorld, { caller }: FakeCall, id: string): void {
  const volume = volumes.get(id);
  if (volume?.project !== caller.project.id) throw refusal("compute", 400, `Volume ${id} could not be found.`);
  if (volume.status === "available") return;
  const needs = `Volume ${id} status must be available or downloading to reserve, but the current status is ${volume.status}.`;
  const why = `Invalid volume: Invalid input received: Invalid volume: ${needs} (HTTP 400) (Request-ID: req-${crypto.randomUUID()})`;
  throw refusal("compute", 400, why);
}

function networksOf(world: FakeWorld, { caller }: FakeCall, said: unknown) {
  const ports: FakePort[] = [];
  const networks: FakeNetwork[] = [];
  for (const one of list(said).map(object)) {
    const [port, network] = [text(one.port), text(one.uuid)];
    if (port !== undefined) {
      const found = world.networks.ports.get(port);
      if (found === undefined || found.project !== caller.project.id)
        throw refusal("compute", 400, `Port id ${port} could not be found.`);
      if (found.device !== "") throw refusal("compute", 409, `Port ${port} is still in use.`);
      ports.push(found);
    } else {
      const found = world.networks.networks.get(network ?? "");
      if (found === undefined) throw refusal("compute", 400, `Network ${network} could not be found.`);
      networks.push(found);
    }
  }
  if (said === "auto")
    networks.push(...[...world.networks.networks.values()].filter(({ external }) => !external).slice(0, 1));
  return { ports, networks };
}

function checkQuota({ servers, quotas }: FakeWorld, { caller }: FakeCall, flavor: FakeFlavor): void {
  const own = [...servers.values()].filter(
    ({ project, status }) => project === caller.project.id && status !== "DELETED",
  );
  const rows = [
    ["instances", 1, own.length],
    ["cores", flavor.vcpus, own.reduce((sum, one) => sum + one.flavor.vcpus, 0)],
    ["ram", flavor.ram, own.reduce((sum, one) => sum + one.flavor.ram, 0)],
  ] as const;
  for (const [name, asked, used] of rows) {
    const limit = quotas[name];
    if (limit < 0 || used + asked <= limit) continue;
    const why = `Quota exceeded for ${name}: Requested ${asked}, but already used ${used} of ${limit} ${name}`;
    throw refusal("compute", 403, why);
  }
}
