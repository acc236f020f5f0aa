// What a list knows from earlier lists, where Nova counts nothing as a change: `forget` makes each server look unchanged
// for an hour.

import { expect, it } from "vitest";
import { signal } from "../../../test/support/engine-calls.ts";
import {
  beginEngines,
  booted,
  type EngineStand,
  portsOf,
  serverOf,
} from "../../../test/support/fake-openstack/engines.ts";
import type { MachineSpec } from "../engine.ts";

function forget({ world }: EngineStand): void {
  for (const server of world.servers.values()) server.updated = new Date(world.now().getTime() - 3_600_000);
}

async function begin(): Promise<{ stand: EngineStand; spec: MachineSpec; listed: () => Promise<unknown> }> {
  const stand = await beginEngines();
  const spec = stand.spec();
  await booted(stand.engine, spec);
  const listed = async () => (await stand.engine.list(signal())).machines.find(({ id }) => id === spec.id);
  expect(await listed()).toMatchObject({ power: "running", usable: true });
  forget(stand);
  return { stand, spec, listed };
}

it("a server that is purged before its end was noticed is gone", async () => {
  const { stand, spec, listed } = await begin();
  stand.world.servers.delete(serverOf(stand, spec).id);
  expect(await listed()).toBeUndefined();
});

it("a server that lost its port is seen without its address", async () => {
  const { stand, spec, listed } = await begin();
  for (const port of portsOf(stand, spec)) stand.world.networks.removePort(port);
  Object.assign(serverOf(stand, spec), { ports: [] });
  expect(await listed()).toMatchObject({ power: "running", usable: false });
});

it("a server is asked about until it has its secrets", async () => {
  const { stand, spec, listed } = await begin();
  const { metadata } = serverOf(stand, spec);
  const { "lessor-told": told = "" } = metadata;
  delete metadata["lessor-told"];
  const fresh = stand.another();
  const seen = async () => (await fresh.list(signal())).machines.find(({ id }) => id === spec.id);
  expect(await seen()).toMatchObject({ untold: true });
  metadata["lessor-told"] = told;
  expect(await seen()).not.toMatchObject({ untold: true });
  expect(await listed()).toMatchObject({ power: "running" });
});
