import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { placeOn } from "../../../test/support/fake-libvirt/bench.ts";
import { beginStand } from "../../../test/support/fake-libvirt/stand.ts";
import { HostHealth } from "./host-health.ts";
import { Hosts } from "./hosts.ts";
import { type VerificationDependencies, Verifications } from "./verifications.ts";

/** A proof that goes on until it is given up. */
function untilClosed(_place: unknown, within: AbortSignal): Promise<void> {
  return new Promise((_resolve, reject) => within.addEventListener("abort", () => reject(within.reason)));
}

async function begin(prove: VerificationDependencies["prove"] = async () => {}) {
  const stand = await beginStand();
  const proofs = new Verifications({ onVerdict: () => {}, prove });
  onTestFinished(() => proofs.close());
  const places = ["h1", "h2", "h3"].map((name) => placeOn(stand, name));
  /** One for each host in turn, since the last question. */
  const patiences: AbortController[] = [];
  const health = new HostHealth();
  onTestFinished(async () => {
    // Where a host hangs, what was begun there would be cleaned up for ten seconds.
    for (const one of stand.fake.world.hosts.values()) {
      one.mend();
      one.stopDaemon();
    }
    await health.close();
  });
  const hosts = new Hosts(proofs, health, (_place, within) => {
    const controller = new AbortController();
    patiences.push(controller);
    return { signal: AbortSignal.any([within, controller.signal]), end: () => {} };
  });
  const host = (name: string) => stand.fake.world.host(name);
  const read = (within = signal()) => {
    patiences.length = 0;
    return hosts.read(places, within);
  };
  /** Nobody waits any longer for the hosts of these numbers. */
  const lose = (...numbers: readonly number[]) => {
    for (const number of numbers) patiences[number - 1]?.abort(new Error("too late"));
  };
  return { ...stand, proofs, health, places, patiences, hosts, host, read, lose };
}

const names = (reports: readonly { readonly name: string; readonly available: boolean }[]) =>
  reports.map(({ name, available }) => `${name}${available ? "" : " is away"}`);

describe("the hosts", () => {
  it("are all there with what they have, in the order of the settings", async () => {
    const { read, host } = await begin();
    host("h2").hardware.addGpu("0000:81:00.0", { driver: "vfio-pci" });
    const reports = await read();
    expect(names(reports)).toEqual(["h1", "h2", "h3"]);
    expect(reports[1]).toMatchObject({ region: "north", vcpus: 64, gpus: [{ address: "0000:81:00.0" }] });
  });

  it.each([
    ["hangs", (one: { cut(): void }) => one.cut()],
    ["is dead", (one: { stopDaemon(): void }) => one.stopDaemon()],
  ])("of which one %s are the others all the same, and it with what it had", async (_what, end) => {
    const { read, host, lose } = await begin();
    const [, before] = await read();
    const { health: _, daemon: __, ...known } = before ?? {};
    end(host("h2"));
    const reading = read();
    lose(2);
    const reports = await reading;
    expect(names(reports)).toEqual(["h1", "h2 is away", "h3"]);
    expect(reports[1]).toMatchObject({ ...known, available: false });
    // What was found before stands.
    expect(reports[1]).not.toHaveProperty("health");
    host("h2").mend();
    host("h2").startDaemon();
    expect(names(await read())).toEqual(["h1", "h2", "h3"]);
  });

  it("of which one was never seen are the others, without it: nobody knows what it has", async () => {
    const { read, host } = await begin();
    host("h1").stopDaemon();
    expect(names(await read())).toEqual(["h2", "h3"]);
  });

  it("that hang all at once are waited for together, not one after the other", async () => {
    const { read, host, patiences, lose } = await begin();
    await read();
    for (const name of ["h1", "h2", "h3"]) host(name).cut();
    const reading = read();
    expect(patiences).toHaveLength(3);
    lose(1, 2, 3);
    expect(names(await reading)).toEqual(["h1 is away", "h2 is away", "h3 is away"]);
  });

  it("are away until a guest was seen to run there", async () => {
    let proofs = 0;
    const { read, lose } = await begin((place, within) => {
      proofs++;
      return untilClosed(place, within);
    });
    const reading = read();
    await eventually(() => proofs).toBe(3);
    // The first three were for what the hosts have.
    lose(4, 5, 6);
    expect(names(await reading)).toEqual(["h1 is away", "h2 is away", "h3 is away"]);
  });

  it("are not answered for one who has given up", async () => {
    const { read, host } = await begin();
    host("h2").cut();
    const controller = new AbortController();
    const reading = failure(read(controller.signal));
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await reading).toBe(reason);
  });
});

describe("what a host has", () => {
  it("is looked at once for many machines, and anew whenever the hosts are", async () => {
    const { hosts, places, fake, read } = await begin();
    const [place] = places;
    if (place === undefined) throw new Error("BUG: a stand without hosts");
    const first = await hosts.inventoryOf(place, signal());
    expect(await hosts.inventoryOf(place, signal())).toBe(first);
    expect(fake.seen(/^h1 capabilities/)).toHaveLength(1);
    await read();
    expect(await hosts.inventoryOf(place, signal())).not.toBe(first);
  });

  it("is what was last seen while it is away, and an error where it was never seen", async () => {
    const { hosts, places, host, read } = await begin();
    const [place] = places;
    if (place === undefined) throw new Error("BUG: a stand without hosts");
    host("h1").stopDaemon();
    expect(await failure(hosts.inventoryOf(place, signal()))).toMatchObject({ name: "VirshError" });
    host("h1").startDaemon();
    await read();
    host("h1").stopDaemon();
    expect(await hosts.inventoryOf(place, signal())).toMatchObject({ threads: 64 });
  });
});
