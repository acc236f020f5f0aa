// Whether the fake cloud has exactly what instances say, once everything rests: their servers, ports, floating addresses
// and volumes. Used by life.ts, by openstack-killed.test.ts and by instances-disagree.ts.

import { groupsOf, serversOf } from "../../support/fake-openstack/engines.ts";
import type { FakeCloud } from "../../support/fake-openstack/stand.ts";

/** An instance as its row says, with its file system if that is not deleted. */
export interface Shown {
  readonly id: string;
  readonly state: string;
  /** When it was active first. */
  readonly active_at: Date | null;
  readonly fileSystemId: string | undefined;
}

const statuses: Readonly<Record<string, string>> = { active: "ACTIVE", stopped: "SHUTOFF" };

/** One line for each difference. `instances`: all there ever were; `fileSystems`: the ids of those that are not deleted. */
export function cloudDisagrees(
  stand: FakeCloud,
  instances: readonly Shown[],
  fileSystems: readonly string[],
): string[] {
  const { world } = stand;
  const live = [...world.servers.values()].filter(({ status }) => status !== "DELETED");
  const ports = [...world.networks.ports.values()];
  const floatings = [...world.networks.floatings.values()];
  const there = instances.filter(({ state }) => Object.hasOwn(statuses, state));
  const hasServer = (one: Shown) => live.some(({ name }) => name === nameOf(one));
  // One that was stopped before its first boot can have its port only, since Nova boots what it makes, or a server that
  // failed: the next start makes another.
  const wasActive = there.filter(({ state, active_at }) => state === "active" || active_at !== null);
  const served = there.filter((one) => wasActive.includes(one) || hasServer(one));
  // From the first start on: so it may be attached to one that was stopped before its first boot, or not.
  const attached = wasActive.map(volumeOf);
  const mayBeAttached = served.filter((one) => !wasActive.includes(one)).map(volumeOf);
  // One that was never attached has no volume.
  const strange = [...world.volumes.values()].filter(({ name, status }) => {
    if (!fileSystems.some((id) => name === `lessor-${id}`)) return true;
    return status !== (attached.includes(name) ? "in-use" : "available") && !mayBeAttached.includes(name);
  });
  const used = new Set(ports.flatMap(({ groups }) => groups));
  const unused = groupsOf(stand).filter((id) => !used.has(id)).length;
  const pairs: (readonly [what: string, is: unknown, should: unknown])[] = [
    ["servers", sorted(live.map(({ name }) => name)), sorted(served.map(nameOf))],
    ["ports", sorted(ports.map(({ name }) => name)), sorted(there.map(nameOf))],
    ["floating addresses of ports", sorted(floatings.map(({ port }) => port?.id)), sorted(ports.map(({ id }) => id))],
    ["strange volumes", strange.map(({ name, status }) => `${name} ${status}`).join(), ""],
    // The one that lets everything in stays.
    ["unused groups", Math.max(unused - 1, 0), 0],
    ...wasActive.flatMap((one) => {
      const server = live.find(({ name }) => name === nameOf(one));
      const volumes = (server?.volumes ?? []).map((id) => world.volumes.get(id)?.name);
      const secrets = Object.keys(server?.metadata ?? {}).filter((key) => key.startsWith("lessor-secret-"));
      return [
        [`status of ${one.id}`, server?.status, statuses[one.state]],
        [`volumes of ${one.id}`, volumes.join(), volumeOf(one) ?? ""],
        [`server of the port of ${one.id}`, ports.find(({ name }) => name === nameOf(one))?.device, server?.id],
        [`secrets in metadata of ${one.id}`, secrets.join(), ""],
        [`the guest of ${one.id} has read its secrets`, server?.guestRead !== undefined, true],
      ] as const;
    }),
  ];
  return pairs.flatMap(([what, is, should]) => (is === should ? [] : [`${what}: ${is}, should be ${should}`]));
}

/** The same of the only instance; with `isOnce`, one server was made for it, and no other ever. */
export function cloudDisagreesOnOne(stand: FakeCloud, instance: Shown & { host: string }, isOnce: boolean): string[] {
  const { fileSystemId } = instance;
  const found = cloudDisagrees(stand, [instance], fileSystemId === undefined ? [] : [fileSystemId]);
  const servers = serversOf(stand, instance).length;
  return isOnce && servers > 1 ? [...found, `${servers} servers were made`] : found;
}

const volumeOf = ({ fileSystemId }: Shown) => (fileSystemId === undefined ? null : `lessor-${fileSystemId}`);
const nameOf = ({ id }: Shown) => `lessor-${id}`;
const sorted = (names: readonly (string | undefined)[]) => names.toSorted().join();
