// An address is leased to a guest for an hour, also when its machine is long gone: libvirt's DHCP server keeps it for that
// card and gives another one that has it reserved some other address, which the filter against spoofing then stops.

import { createHash } from "node:crypto";
import { expect, inject, it } from "vitest";
import { LibvirtEngine } from "../../src/engines/libvirt/engine.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, labSettings, machineOn } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const soon = () => AbortSignal.timeout(120_000);

it("a machine whose address would be one that another guest had a moment ago is reached all the same", async () => {
  const engine = new LibvirtEngine(labSettings(lab), crypto.randomUUID());
  const untilUsable = async (spec: ReturnType<typeof machineOn>) => {
    await engine.create(spec, soon());
    await engine.start(spec, soon());
    const usable = async () => (await engine.inspect(spec, soon()))?.usable;
    await expect.poll(usable, { timeout: 120_000, interval: 200 }).toBe(true);
    const report = await engine.inspect(spec, soon());
    await engine.remove(spec, soon());
    return report?.ip;
  };
  const first = machineOn("h1");
  const ip = await untilUsable(first);
  const second = { ...machineOn("h1"), id: oneThatBeginsAt(beginningOf(first.id)) };
  expect(await untilUsable(second)).not.toBe(ip);
  await engine.close();
  expect(await lab.leftovers()).toEqual([]);
});

/** The place in the lab's range, of 241 addresses, that the engine looks at first for this machine. */
function beginningOf(machineId: string): number {
  return createHash("sha256").update(`${machineId}/0`).digest().readUInt32BE(0) % 241;
}

function oneThatBeginsAt(place: number): string {
  for (;;) {
    const id = crypto.randomUUID();
    if (beginningOf(id) === place) return id;
  }
}
