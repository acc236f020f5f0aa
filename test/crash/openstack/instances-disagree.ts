// Whether instances are what a model says, and whether the fake cloud has exactly their servers, ports, floating addresses
// and volumes. Used by history.ts.

import { groupsOf } from "../../support/fake-openstack/engines.ts";
import type { FakeCloud } from "../../support/fake-openstack/stand.ts";
import type { Stage } from "../../support/stage.ts";

/** An instance in the model. */
export interface Instance {
  /** What it was last told to be. */
  readonly wanted: "active" | "stopped" | "terminated";
  /** Whether something happened that it need not survive: it may be terminated, or stopped if it was to be active. */
  readonly mayEnd: boolean;
  readonly fileSystemId: string | undefined;
}

const statuses: Readonly<Record<string, string>> = { active: "ACTIVE", stopped: "SHUTOFF" };

/** One line for each difference. `fileSystems`: the ids of all there are. */
export async function instancesDisagree(
  stage: Stage,
  stand: FakeCloud,
  model: ReadonlyMap<string, Instance>,
  fileSystems: readonly string[],
): Promise<string[]> {
  const rows = new Map<string, Awaited<ReturnType<Stage["row"]>>>();
  for (const id of model.keys()) rows.set(id, await stage.row(id));
  const wrong = [...rows].flatMap(([id, row]) => {
    const { wanted, mayEnd } = model.get(id) ?? { wanted: "terminated", mayEnd: false };
    const hasEnded = mayEnd && (row.state === "terminated" || (wanted === "active" && row.state === "stopped"));
    const told = `${id} is ${row.state} (${row.progress}, ${row.failure_code} ${row.failure_message})`;
    if (row.state !== wanted && !hasEnded) return [`${told} and not ${wanted}`];
    return row.next_look_at === null ? [] : [`${told}, and is looked at again`];
  });
  const there = [...rows].filter(([, { state }]) => Object.hasOwn(statuses, state));
  const { world } = stand;
  const live = [...world.servers.values()].filter(({ status }) => status !== "DELETED");
  const nameOf = (id: string) => `lessor-${id}`;
  const names = there.map(([id]) => nameOf(id));
  // One that was stopped before its first boot can have its port only, since Nova boots what it makes, or a server that
  // failed: the next start makes another.
  const booted = there.filter(
    ([id, { state, active_at }]) =>
      state !== "stopped" || active_at !== null || live.some(({ name }) => name === nameOf(id)),
  );
  const ports = [...world.networks.ports.values()];
  const used = new Set(ports.flatMap(({ groups }) => groups));
  const unused = groupsOf(stand).filter((id) => !used.has(id)).length;
  const attachedTo = booted.flatMap(([id]) => model.get(id)?.fileSystemId ?? []);
  // One that was never attached has no volume.
  const volumes = [...world.volumes.values()].filter(({ name, status }) => {
    const id = (name ?? "").replace(/^lessor-/, "");
    return !fileSystems.includes(id) || status !== (attachedTo.includes(id) ? "in-use" : "available");
  });
  const pairs: (readonly [what: string, is: unknown, should: unknown])[] = [
    ["servers", sorted(live.map(({ name }) => name)), sorted(booted.map(([id]) => nameOf(id)))],
    ["ports", sorted(ports.map(({ name }) => name)), sorted(names)],
    ["floating addresses", world.networks.floatings.size, names.length],
    ["strange volumes", volumes.map(({ name, status }) => `${name} ${status}`).join(), ""],
    ["attached volumes", live.flatMap((server) => server.volumes).length, attachedTo.length],
    // The one that lets everything in stays.
    ["unused groups", Math.max(unused - 1, 0), 0],
    ...booted.flatMap(([id, { state, active_at }]) => {
      if (state === "stopped" && active_at === null) return [];
      const server = live.find(({ name }) => name === nameOf(id));
      const secrets = Object.keys(server?.metadata ?? {}).filter((key) => key.startsWith("lessor-secret-"));
      return [
        [`status of ${id}`, server?.status, statuses[state]],
        [`secrets in metadata of ${id}`, secrets.join(), ""],
      ] as const;
    }),
  ];
  return [...wrong, ...pairs.flatMap(([what, is, should]) => (is === should ? [] : [`${what}: ${is}, not ${should}`]))];
}

const sorted = (names: readonly string[]) => names.toSorted().join();
