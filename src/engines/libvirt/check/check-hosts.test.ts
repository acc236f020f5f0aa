import { beforeEach, describe, expect, it } from "vitest";
import { faultsIn, lines } from "../../../../test/support/check-stand.ts";
import {
  addProgram,
  beginLibvirtCheckStand,
  type LibvirtCheckStand,
} from "../../../../test/support/libvirt-check-stand.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import type { LibvirtSettings } from "../settings/settings.ts";
import { checkHosts, type HostCheckOptions } from "./check-hosts.ts";

let stand: LibvirtCheckStand;
beforeEach(async () => {
  stand = await beginLibvirtCheckStand();
});

const probe = { image: undefined, deadlineSeconds: 10 };
const check = (
  options: Partial<HostCheckOptions> = {},
  part: Partial<LibvirtSettings> = {},
  signal = AbortSignal.timeout(20_000),
) => {
  const all = { probe: undefined, path: stand.path, onProgress: () => {}, connect: stand.connect, ...options };
  return lines(checkHosts({ ...stand.settings, ...part }, all, signal));
};
const left = () =>
  [...stand.stand.fake.world.hosts.values()].flatMap(({ domains, storage }) => [
    ...domains.all().map(({ name }) => name),
    ...[...storage.files.keys()].filter((path) => path.includes("/lessor-")),
  ]);

describe("hosts that are fit", () => {
  it("are told host by host, in the order of the settings", async () => {
    const told = await check();
    expect(faultsIn(told)).toEqual([]);
    expect(told.filter((line) => line.startsWith("ok host"))).toEqual(
      ["h1", "h2", "h3"].map((name) => `ok host ${name}: responds: libvirt 9.0.0, QEMU 7.2.22`),
    );
    const pools = told.flatMap((line) => /^ok (?:pool|leftovers) on (h\d)/.exec(line)?.[1] ?? []);
    expect(pools).toEqual(["h1", "h1", "h2", "h2", "h3", "h3"]);
    expect(left()).toEqual([]);
  });

  it("with GPUs are told of their GPU helpers, where the settings have some", async () => {
    stand.host("h2").hardware.addGpu("0000:81:00.0", { driver: "vfio-pci" });
    const told = await check({ gpuHelper: () => undefined });
    expect(faultsIn(told)).toEqual([expect.stringMatching(/^warning GPU helper on h2: no command is set/)]);
  });

  it("prove it by a machine each, which is reached, halted by its button, and removed", async () => {
    const told = await check({ probe });
    for (const host of ["h1", "h2", "h3"]) {
      expect(told).toContainEqual(
        expect.stringMatching(`^ok probe on ${host}: created in .*, ready after another .* at 127.66.`),
      );
      expect(told).toContainEqual(expect.stringMatching(`^ok power button on ${host}: halted in `));
      expect(told).toContainEqual(expect.stringMatching(`^ok probe on ${host}: removed in `));
    }
    // Two at once on the first, to see whether one reaches the other; a fake guest has no shell to say so.
    expect(told.filter((line) => line.startsWith("ok second on"))).toHaveLength(2);
    expect(told).toContainEqual(expect.stringMatching(/^warning isolation on h1: could not be tested/));
    expect(left()).toEqual([]);
  });
});

describe("a host that is not", () => {
  it("reached ends its own checks, and no other's", async () => {
    stand.host("h2").stopDaemon();
    const told = await check({ probe });
    expect(faultsIn(told)[0]).toMatch(/^problem host h2: nothing listens there -> /);
    expect(told.filter((line) => / on h2/.test(line))).toEqual([]);
    expect(told).toContainEqual(expect.stringMatching(/^ok probe on h3: removed/));
  });

  it("in order gets no probe machine, and is told why", async () => {
    stand.refuse("nwfilter-dumpxml clean-traffic", "failed to get nwfilter 'clean-traffic'", "h1");
    const told = await check({ probe });
    expect(told).toContainEqual(
      expect.stringMatching(/^warning probe on h1: no test instance was created, because of/),
    );
    const described = stand.stand.fake.seen(/^h1 define/).map(({ input }) => `${input}`);
    expect(described.filter((xml) => !xml.includes("lessor-proof-"))).toEqual([]);
    expect(told).toContainEqual(expect.stringMatching(/^ok probe on h2: created/));
  });

  it("answering one question is asked the others all the same", async () => {
    stand.refuse("pool-dumpxml default", "internal error: something broke", "h3");
    const told = await check();
    expect(faultsIn(told)).toContainEqual(
      expect.stringMatching(/^problem pool on h3: could not be checked: .*something broke/),
    );
    expect(told).toContainEqual(expect.stringMatching(/^ok network on h3/));
  });

  it("of its own, but another under two names, is a problem", async () => {
    stand.host("h3").hardware.uuid = stand.host("h1").hardware.uuid;
    expect(faultsIn(await check())[0]).toMatch(/^problem hosts: h1 and h3 are one machine \(.*rented twice -> /);
  });

  it("new enough to keep machines apart is a problem", async () => {
    stand.answer("version --daemon", "Running hypervisor: QEMU 4.2.0\nRunning against daemon: 6.0.0\n", "h1");
    expect(faultsIn(await check()).slice(0, 2)).toEqual([
      expect.stringMatching(/^problem host h1: has libvirt 6\.0\.0, QEMU 4\.2\.0, which does not isolate machines/),
      expect.stringMatching(/^warning host h1: QEMU 4\.2\.0 cannot read every image/),
    ]);
  });
});

describe("this machine", () => {
  it("without virsh asks no host", async () => {
    expect(await check({ path: await temporaryDirectory(), probe })).toEqual([
      expect.stringMatching(/^problem programs: virsh is not on/),
    ]);
    expect(stand.stand.fake.calls).toEqual([]);
  });

  it("without a program that makes seeds looks at the hosts, and makes no machine", async () => {
    const path = await temporaryDirectory();
    addProgram(path, "virsh");
    const told = await check({ path, probe });
    expect(told).toContainEqual(expect.stringMatching(/^ok pool on h1/));
    expect(told.filter((line) => /^warning probe on h\d: no test instance was created/.test(line))).toHaveLength(3);
  });
});

describe("a check that is interrupted", () => {
  it("removes its probe machine before it ends", async () => {
    stand.stand.fake.world.manners.bootMs = undefined;
    const interrupt = new AbortController();
    const onProgress = (at: string) => {
      if (/SSH/.test(at)) interrupt.abort(new Error("interrupted"));
    };
    await expect(check({ probe, onProgress }, {}, interrupt.signal)).rejects.toThrow("interrupted");
    expect(stand.stand.fake.seen(/^h1 start lessor-(?!proof)/)).toHaveLength(1);
    expect(left()).toEqual([]);
  });
});
