import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { type Bench, beginBench, disturbed } from "../../../test/support/fake-libvirt/bench.ts";
import { machineSpec } from "../../../test/support/fake-libvirt/stand.ts";
import { createMachine } from "./create.ts";
import { readDomain, readDomains, readOwnDomain } from "./domains.ts";
import { domainName } from "./labels.ts";
import { startMachine } from "./start.ts";

async function made(bench: Bench, count = 1) {
  const specs = Array.from({ length: count }, () => machineSpec());
  for (const spec of specs) await createMachine(bench.place, bench.inventory, spec, signal());
  bench.fake.calls.length = 0;
  return specs;
}

/** The description of a machine's domain, changed. */
function changed({ host, name }: Bench, change: (xml: string) => string): string {
  return change(host.domains.get(name).defined?.xml ?? "");
}

async function one() {
  const bench = await beginBench();
  await createMachine(bench.place, bench.inventory, bench.spec, signal());
  bench.fake.calls.length = 0;
  return bench;
}

describe("a domain that is read", () => {
  it("is off until it runs, and another run each time", async () => {
    const bench = await one();
    const { place, inventory, spec, host, name } = bench;
    const read = () => readDomain(place, spec.id, signal());
    expect(await read()).toMatchObject({ machineId: spec.id, power: "off", run: undefined });
    await startMachine(place, inventory, spec, signal());
    const first = await read();
    expect(first).toMatchObject({
      power: "running",
      reason: "booted",
      address: expect.stringMatching(/^127\.66\.1\./),
    });
    host.domains.destroy(name);
    expect(await read()).toMatchObject({ power: "off", reason: "destroyed", run: undefined });
    await startMachine(place, inventory, spec, signal());
    const second = await read();
    expect(second?.run).toBeDefined();
    expect(second?.run).not.toBe(first?.run);
  });

  it("costs one process", async () => {
    const { place, spec, fake } = await one();
    const counted = disturbed(place.virsh, -1, (command) => command());
    await readDomain({ ...place, virsh: counted }, spec.id, signal());
    expect([counted.count, fake.calls.length]).toEqual([1, 2]);
  });

  it.each([
    ["running", "running"],
    ["idle", "running"],
    ["pmsuspended", "running"],
    ["paused", "paused"],
    ["in shutdown", "ending"],
    ["shut off", "off"],
    ["crashed", "off"],
  ] as const)("that libvirt calls %s is %s", async (state, power) => {
    const { place, inventory, spec, fake } = await one();
    await startMachine(place, inventory, spec, signal());
    fake.faults.add(/^h1 domstate/, { answer: `${state} (why not)\n` });
    expect(await readDomain(place, spec.id, signal())).toMatchObject({ power, reason: "why not" });
  });

  it("that ended between the question for its state and that for its description is off", async () => {
    const { place, spec, fake } = await one();
    fake.faults.add(/^h1 domstate/, { answer: "running (booted)\n" });
    expect(await readDomain(place, spec.id, signal())).toMatchObject({ power: "off", run: undefined });
  });

  it("that is in a state nobody knows is an error, never a guess", async () => {
    const { place, spec, fake } = await one();
    fake.faults.add(/^h1 domstate/, { answer: "levitating\n" });
    expect(await failure(readDomain(place, spec.id, signal()))).toMatchObject({
      message: expect.stringMatching(/levitating/),
    });
  });

  it("that is not there is none, and one that nobody can ask is an error", async () => {
    const { place, fake, host, spec } = await one();
    expect(await readDomain(place, machineSpec().id, signal())).toBeUndefined();
    fake.faults.add(/^h1 dumpxml/, { fail: "Disconnected from x due to I/O error" });
    expect(await failure(readDomain(place, spec.id, signal()))).toMatchObject({ name: "VirshError" });
    host.stopDaemon();
    expect(await failure(readDomain(place, spec.id, signal()))).toMatchObject({ name: "VirshError" });
  });

  it.each(["", "x; destroy y", "--all", "1", "a'b"])("of an id that is none, like %j, is none", async (id) => {
    const { place } = await one();
    expect(await readDomain(place, id, signal())).toBeUndefined();
  });
});

const strangers = [
  ["without a mark", (xml: string) => xml.replace(/<metadata>.*<\/metadata>/, "")],
  ["of another installation", (xml: string) => xml.replace('installation="installation-1"', 'installation="other"')],
  ["of another engine", (xml: string) => xml.replace('engine="lab"', 'engine="other"')],
  ["that is a copy of another one", (xml: string) => xml.replace(/instance="[^"]*"/, `instance="${machineSpec().id}"`)],
] as const;

describe("a domain of one of our names", () => {
  it.each(strangers)("%s is none of ours: it is not shown, and nothing is done by its name", async (_what, change) => {
    const bench = await one();
    const { place, host, spec, name } = bench;
    host.domains.define(changed(bench, change));
    expect(await readDomain(place, spec.id, signal())).toBeUndefined();
    expect(await readDomains(place, signal())).toEqual([]);
    const error = await failure(readOwnDomain(place, spec.id, signal()));
    expect(error).toMatchObject({ kind: "unavailable", code: "not-ours" });
    expect(host.domains.find(name)).toBeDefined();
  });
});

describe("all domains", () => {
  it("are read in two requests, each as it is", async () => {
    const bench = await beginBench();
    const { place, inventory, fake } = bench;
    const specs = await made(bench, 5);
    for (const spec of specs.slice(0, 2)) await startMachine(place, inventory, spec, signal());
    const listed = await readDomains(place, signal());
    expect(new Map(listed.map(({ machineId, power }) => [machineId, power]))).toEqual(
      new Map(specs.map(({ id }, index) => [id, index < 2 ? "running" : "off"])),
    );
    for (const domain of listed)
      expect(await readDomain(place, domain.machineId, signal())).toEqual({ ...domain, reason: expect.anything() });
    expect(fake.seen(/domstats/)).toHaveLength(1);
  });

  it("leave out an operator's own, copies, and those of other installations", async () => {
    const bench = await one();
    const { place, host, spec, name } = bench;
    const another = (to: string) => (xml: string) =>
      xml.replaceAll(`<name>${name}`, `<name>${to}`).replace(/<uuid>.*?<\/uuid>/, "");
    host.domains.define(changed(bench, another("web")));
    host.domains.define(changed(bench, another(`${name}-copy`)));
    host.domains.define(changed(bench, another(domainName(machineSpec().id))));
    host.domains.define(
      changed(bench, (xml) => another(domainName(machineSpec().id))(xml).replace("installation-1", "x")),
    );
    host.domains.define(
      "<domain type='kvm'><name>it's \"one\" & only</name><os><type>hvm</type></os></domain>".replace("&", "&amp;"),
    );
    expect((await readDomains(place, signal())).map(({ machineId }) => machineId)).toEqual([spec.id]);
  });

  it("are none where nobody's are there, and nothing more is asked", async () => {
    const { place, fake } = await beginBench();
    expect(await readDomains(place, signal())).toEqual([]);
    expect(fake.calls).toHaveLength(1);
  });

  it("that vanish meanwhile hide no others", async () => {
    const bench = await beginBench();
    const { place, fake } = bench;
    const [first, second, third] = await made(bench, 3);
    for (const spec of [first, third]) {
      fake.faults.add(new RegExp(`^h1 dumpxml lessor-${spec?.id}`), { fail: "failed to get domain 'x'" });
    }
    const listed = await readDomains(place, signal());
    expect(listed.map(({ machineId }) => machineId).sort()).toEqual([first?.id, second?.id, third?.id].sort());
  });

  it("are not known where they vanish again and again: an error, never a shorter list", async () => {
    const bench = await beginBench();
    const { place, fake } = bench;
    await made(bench, 2);
    fake.faults.add(/^h1 dumpxml/, { fail: "failed to get domain 'x'" }, 1000);
    expect(await failure(readDomains(place, signal()))).toBeInstanceOf(Error);
  });

  it("of which the last has vanished are the others", async () => {
    const bench = await one();
    const { place, fake, host, name } = bench;
    const { virsh } = place;
    // It goes after the list of states, before its description.
    const meanwhile = {
      ...disturbed(virsh, -1, (command) => command()),
      all: (...args: Parameters<typeof virsh.all>) => {
        if (host.domains.find(name) !== undefined) host.domains.undefine(name);
        return virsh.all(...args);
      },
    };
    expect(await readDomains({ ...place, virsh: meanwhile }, signal())).toEqual([]);
    expect(fake.seen(/domstats/)).toHaveLength(2);
  });
});
