// Ports that no create will complete, by a clock that the test sets.

import { expect, it } from "vitest";
import { signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, portsOf, serverOf } from "../../../test/support/fake-openstack/engines.ts";
import type { FakePort } from "../../../test/support/fake-openstack/networks.ts";
import { OpenStackEngine } from "./engine.ts";

async function begin() {
  const stand = await beginEngines();
  const clock = { ms: 0 };
  const engine = new OpenStackEngine(stand.settings, "installation-1", () => clock.ms);
  const spec = stand.spec();
  await booted(stand.engine, spec);
  const [port = expect.unreachable()] = portsOf(stand, spec);
  const { networks } = stand.world;
  /** As the machine's port was made, before it was tagged. */
  const late = (part: Partial<FakePort> = {}): FakePort => {
    const { name, description } = port;
    const made = networks.addPort({ project: stand.project.id, network: stand.network }) ?? expect.unreachable();
    return Object.assign(made, { name, description, groups: port.groups }, part);
  };
  const listed = async (minutes: number) => {
    clock.ms += minutes * 60_000;
    await engine.list(signal());
    return [...networks.ports.values()];
  };
  return { ...stand, spec, port, late, listed, close: () => engine.close() };
}

it("a port whose order came late is removed when it was seen twice, ten minutes apart", async () => {
  const { port, late, listed, close, ...stand } = await begin();
  const stray = late();
  const all = [port, stray];
  expect(await listed(0)).toEqual(all);
  expect(await listed(9)).toEqual(all);
  expect(await listed(1)).toEqual([port]);
  expect(serverOf(stand, stand.spec).ports).toEqual([port]);
  await close();
});

it("a port of another installation, of a machine, or of others is never removed", async () => {
  const { port, late, listed, close } = await begin();
  const kept = [
    late({ description: port.description.replace(/.$/, "x") }),
    late({ name: "database" }),
    late({ description: "" }),
    late({ tags: new Set(port.tags) }),
  ];
  for (let times = 0; times < 3; times++) expect(await listed(20)).toEqual([port, ...kept]);
  await close();
});
