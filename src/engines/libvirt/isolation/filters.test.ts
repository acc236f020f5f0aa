import { describe, expect, it } from "vitest";
import { eventually, signal } from "../../../../test/support/engine-calls.ts";
import { beginBench, disturbed } from "../../../../test/support/fake-libvirt/bench.ts";
import { readDomains } from "../domains.ts";
import type { Virsh } from "../virsh/virsh.ts";
import { filterName } from "./filter-xml.ts";
import { FilterUpdates } from "./filters.ts";

/** A machine that was made while the settings named no network of the operator's. */
async function begin() {
  const bench = await beginBench();
  await bench.engine.create(bench.spec, signal());
  const { host, spec } = bench;
  return { ...bench, filter: () => host.filters.own.get(filterName(spec.id)) };
}

describe("the filter of a machine", () => {
  it("is there before the domain that names it, and goes before the domain does", async () => {
    const { engine, fake, spec, name, host } = await begin();
    const words = () => fake.calls.map(({ args }) => args[0]);
    expect(words().indexOf("nwfilter-define")).toBeLessThan(words().indexOf("define"));
    expect(host.domains.find(name)?.defined?.cards[0]?.filter).toBe(name);
    await engine.remove(spec, signal());
    expect(words().indexOf("nwfilter-undefine")).toBeLessThan(words().indexOf("undefine"));
    expect([...host.filters.own]).toEqual([]);
  });

  it("that somebody removed is there again at the next start", async () => {
    const { engine, spec, name, host, filter } = await begin();
    host.filters.undefine(name, []);
    await engine.start(spec, signal());
    expect(filter()).toContain("169.254.0.0");
  });

  it("outlives a restart of its host", async () => {
    const { host, filter } = await begin();
    const before = filter();
    host.reboot();
    expect(filter()).toBe(before);
  });
});

describe("other management networks", () => {
  it("hold for machines that are there, from the first full resync of the service on", async () => {
    const { another, filter } = await begin();
    expect(filter()).not.toContain("10.0.0.0");
    await another(undefined, { managementNetworks: ["10.0.0.0/24"] }).list(signal());
    await eventually(() => filter()?.includes("10.0.0.0")).toBe(true);
  });

  it("are told to a host once, and again when it does not take them", async () => {
    const { another, fake, filter } = await begin();
    const engine = another(undefined, { managementNetworks: ["10.0.0.0/24"] });
    fake.faults.add(/^h1 nwfilter-define/, { fail: "internal error: busy" });
    await engine.list(signal());
    await eventually(async () => {
      await engine.list(signal());
      return filter()?.includes("10.0.0.0");
    }).toBe(true);
    const defined = () => fake.seen(/^h1 nwfilter-define/).length;
    const before = defined();
    await engine.list(signal());
    expect(defined()).toBe(before);
  });

  it("leave no filter of a machine that is removed meanwhile", async () => {
    const { engine, place, fake, spec, host } = await begin();
    const { virsh } = place;
    const late: Virsh = {
      ...disturbed(virsh, -1, (command) => command()),
      call: async (args, options) => {
        if (args[0] === "nwfilter-define") await engine.remove(spec, signal());
        return virsh.call(args, options);
      },
    };
    new FilterUpdates().begin({ ...place, virsh: late }, await readDomains(place, signal()));
    await eventually(() => fake.seen(/^h1 nwfilter-undefine/).length).toBe(2);
    expect([...host.filters.own]).toEqual([]);
  });
});
