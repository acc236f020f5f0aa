import { expect, it } from "vitest";
import { eventually, signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, liveServersOf, serverOf } from "../../../test/support/fake-openstack/engines.ts";
import { OpenStackEngine } from "./engine.ts";

it("a server that Nova has forgotten while it was scheduled is made again after 90 seconds, and not before", async () => {
  const stand = await beginEngines();
  let now = 0;
  const engine = new OpenStackEngine(stand.settings, "installation-1", () => now);
  const spec = stand.spec();
  await engine.create(spec, signal());
  stand.fake.faults.add("compute", "POST", /\/servers$/, { hold: true });
  await engine.start(spec, signal());
  const { id: first } = Object.assign(serverOf(stand, spec), { task: "scheduling" });
  expect(await engine.inspect(spec, signal())).toMatchObject({ power: "starting", progress: "scheduling" });
  now = 89_000;
  expect(await engine.inspect(spec, signal())).toMatchObject({ power: "starting" });
  expect(serverOf(stand, spec).id).toBe(first);
  now = 91_000;
  await engine.inspect(spec, signal());
  await eventually(() => liveServersOf(stand, spec)).toEqual([]);
  expect(await booted(engine, spec)).toMatchObject({ usable: true });
  expect(serverOf(stand, spec).id).not.toBe(first);
  await engine.close();
});
