// What the fake's Cinder answers: volumes of the caller's project. Nova attaches them (nova-actions.ts).

import {
  errorAnswer,
  type FakeAnswer,
  type FakeCall,
  type FakeRoute,
  microStamp,
  object,
  refusal,
  text,
  texts,
} from "./exchange.ts";
import { isAdmin } from "./identity.ts";
import type { FakeVolume, FakeWorld } from "./world.ts";

const pathOf = (rest: string) => new RegExp(`^/v3/[^/]+/${rest}$`);

export function cinderRoutes(world: FakeWorld): readonly FakeRoute[] {
  return [
    ["GET", pathOf("volumes"), (call) => all(world, call, ({ id, name }) => ({ id, name, links: [] }))],
    ["GET", pathOf("volumes/detail"), (call) => all(world, call, (one) => shown(call, one))],
    ["POST", pathOf("volumes"), (call) => create(world, call)],
    ["GET", pathOf("volumes/([^/]+)"), (call, id = "") => ok({ volume: shown(call, volumeOf(world, call, id)) })],
    ["PUT", pathOf("volumes/([^/]+)"), (call, id = "") => change(world, call, id)],
    ["DELETE", pathOf("volumes/([^/]+)"), (call, id = "") => remove(world, call, id)],
    ["POST", pathOf("volumes/([^/]+)/metadata"), (call, id = "") => setMetadata(volumeOf(world, call, id), call)],
    ["GET", pathOf("types"), () => ok({ volume_types: world.volumeTypes.map(shownType) })],
    ["GET", pathOf("limits"), (call) => ok({ limits: limits(world, call) })],
  ];
}

export function cinderVersions(base: string, newest: number): object {
  const [id, status, min_version] = ["v3.0", "CURRENT", "3.0"];
  const links = [{ rel: "self", href: `${base}/v3/` }];
  return { versions: [{ id, status, version: `3.${newest}`, min_version, updated: "2022-08-31T00:00:00Z", links }] };
}

function seen({ volumes }: FakeWorld, { caller, query }: FakeCall): FakeVolume[] {
  const everyone = isAdmin(caller) && query.has("all_tenants");
  return [...volumes.values()].filter(({ project }) => everyone || project === caller.project.id);
}

function volumeOf({ volumes }: FakeWorld, { caller }: FakeCall, id: string): FakeVolume {
  const volume = volumes.get(id);
  if (volume === undefined || !(isAdmin(caller) || volume.project === caller.project.id))
    throw refusal("volume", 404, `Volume ${id} could not be found.`);
  return volume;
}

function all(world: FakeWorld, call: FakeCall, show: (volume: FakeVolume) => object): FakeAnswer {
  const { query, base, path } = call;
  const metadata = texts(JSON.parse((query.get("metadata") ?? "{}").replaceAll("'", '"')));
  const found = seen(world, call)
    .filter((one) => ["name", "status"].every((key) => query.get(key) === null || query.get(key) === object(one)[key]))
    .filter((one) => Object.entries(metadata).every(([key, value]) => one.metadata[key] === value))
    .reverse();
  const marker = query.get("marker");
  const begin = marker === null ? 0 : found.findIndex(({ id }) => id === marker) + 1;
  const limit = Math.min(Number(query.get("limit") ?? 1000), 1000);
  const page = found.slice(begin, begin + limit);
  const next = new URLSearchParams({ ...Object.fromEntries(query), marker: page.at(-1)?.id ?? "" });
  const links = page.length === limit ? { volumes_links: [{ rel: "next", href: `${base}${path}?${next}` }] } : {};
  return ok({ volumes: page.map(show), ...links });
}

function create(world: FakeWorld, call: FakeCall): FakeAnswer {
  const said = object(call.json.volume);
  const type = text(said.volume_type) ?? "__DEFAULT__";
  const size = Number(said.size);
  if (!Number.isInteger(size) || size < 1)
    return errorAnswer(
      "volume",
      400,
      `Invalid input for field/attribute size. Value: ${size}. ${size} is less than the minimum of 1`,
    );
  if (!world.volumeTypes.includes(type))
    return errorAnswer("volume", 404, `Volume type with name ${type} could not be found.`);
  const own = seen(world, call);
  const used = own.reduce((sum, one) => sum + one.size, 0);
  const { volumes, gigabytes } = world.quotas;
  if (volumes >= 0 && own.length + 1 > volumes)
    return tooMuch(`VolumeLimitExceeded: Maximum number of volumes allowed (${volumes}) exceeded for quota 'volumes'.`);
  if (gigabytes >= 0 && used + size > gigabytes) {
    const words = `Requested volume or snapshot exceeds allowed gigabytes quota.`;
    return tooMuch(
      `VolumeSizeExceedsAvailableQuota: ${words} Requested ${size}G, quota is ${gigabytes}G and ${used}G has been consumed.`,
    );
  }
  const now = world.now();
  const volume: FakeVolume = {
    ...{ id: crypto.randomUUID(), project: call.caller.project.id, user: call.caller.user.id, size, type },
    ...{ name: text(said.name) ?? null, description: text(said.description) ?? null, metadata: texts(said.metadata) },
    ...{ status: "creating", attachments: [], created: now, updated: now },
  };
  world.volumes.set(volume.id, volume);
  later(world, call, volume, () => {
    volume.status = call.fault.spawn === undefined ? "available" : "error";
  });
  return { status: 202, body: { volume: shown(call, volume) } };
}

function tooMuch(message: string): FakeAnswer {
  const body = { overLimit: { code: 413, message, retryAfter: "0" } };
  return { status: 413, headers: { "retry-after": "0" }, body };
}

function change(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const volume = volumeOf(world, call, id);
  const said = object(call.json.volume);
  volume.name = text(said.name) ?? volume.name;
  volume.description = text(said.description) ?? volume.description;
  return ok({ volume: shown(call, volume) });
}

function remove(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const volume = volumeOf(world, call, id);
  if (volume.status !== "available" && volume.status !== "error") {
    const states = "available or error or error_restoring or error_extending or error_managing";
    const more = "must not be migrating, attached, belong to a group, have snapshots, awaiting a transfer";
    const why = `Volume status must be ${states} and ${more}, or be disassociated from snapshots after volume transfer.`;
    return errorAnswer("volume", 400, `Invalid volume: ${why}`);
  }
  volume.status = "deleting";
  later(world, call, volume, () => world.volumes.delete(id));
  return { status: 202 };
}

function setMetadata(volume: FakeVolume, { json }: FakeCall): FakeAnswer {
  volume.metadata = { ...volume.metadata, ...texts(json.metadata) };
  return ok({ metadata: volume.metadata });
}

function later(world: FakeWorld, { fault }: FakeCall, volume: FakeVolume, work: () => void): void {
  world.timers.later(volume.id, world.times.volumeMs, fault.hold === true, () => {
    work();
    volume.updated = world.now();
  });
}

function limits(world: FakeWorld, call: FakeCall): object {
  const own = seen(world, call);
  const { volumes, gigabytes } = world.quotas;
  const absolute = {
    ...{ maxTotalVolumes: volumes, maxTotalVolumeGigabytes: gigabytes, totalVolumesUsed: own.length },
    totalGigabytesUsed: own.reduce((sum, { size }) => sum + size, 0),
  };
  return { rate: [], absolute };
}

function shownType(name: string): object {
  return {
    id: name,
    name,
    is_public: true,
    description: null,
    extra_specs: {},
    "os-volume-type-access:is_public": true,
  };
}

function shown({ base, caller }: FakeCall, volume: FakeVolume): object {
  const { id, name, description, size, type, status, metadata, attachments } = volume;
  const href = `${base}/v3/${volume.project}/volumes/${id}`;
  return {
    ...{ id, status, size, availability_zone: "nova", created_at: microStamp(volume.created) },
    ...{ updated_at: microStamp(volume.updated), name, description, volume_type: type, snapshot_id: null },
    ...{ source_volid: null, metadata, user_id: volume.user, bootable: "false", encrypted: false },
    ...{ replication_status: null, consistencygroup_id: null, multiattach: false, migration_status: null },
    attachments: attachments.map((one) => ({
      ...{ id, attachment_id: one.id, volume_id: id, server_id: one.server, host_name: null, device: one.device },
      attached_at: microStamp(one.at),
    })),
    ...{ links: [{ rel: "self", href }], "os-vol-tenant-attr:tenant_id": volume.project },
    ...(isAdmin(caller) ? { "os-vol-host-attr:host": "ctl@fake#fake" } : {}),
  };
}

function ok(body: object): FakeAnswer {
  return { status: 200, body };
}
