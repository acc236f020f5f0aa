import { describe, expect, it } from "vitest";
import { desktop } from "../../../../test/support/libvirt-samples/desktop.ts";
import { hgxGpus, hgxH100, hgxSwitches } from "../../../../test/support/libvirt-samples/hgx-h100.ts";
import {
  type HostSample,
  nodedevName,
  nodedevs,
  poolXml,
  type SampleDevice,
} from "../../../../test/support/libvirt-samples/host-sample.ts";
import { small } from "../../../../test/support/libvirt-samples/recorded.ts";
import type { Virsh } from "../virsh/virsh.ts";
import { VirshError } from "../virsh/virsh-error.ts";
import { readInventory } from "./inventory.ts";

const settings = { pool: "default" };

interface FakeHost {
  readonly virsh: Virsh;
  /** The processes that were started, each with its commands. */
  readonly processes: string[][];
}

/**
 * Answers as that host does. `vanished`: listed, and gone when asked for. As virsh, it goes on after a command that
 * fails, and fails itself where the last one did; or where any did, with `strict`.
 */
function fakeHost(sample: HostSample, { vanished = [], strict = false }: Partial<Vanishing> = {}): FakeHost {
  const processes: string[][] = [];
  const answer = (command: readonly string[]): string | VirshError => {
    if (command[0] === "capabilities") return sample.capabilities;
    if (command[0] === "pool-dumpxml" && command[1] === "default") return sample.pool;
    if (command[0] === "nodedev-list") return `${Object.keys(sample.devices).join("\n")}\n\n`;
    const name = command[1] ?? "";
    const device = vanished.includes(name) ? undefined : sample.devices[name];
    if (command[0] === "nodedev-dumpxml" && device !== undefined) return device;
    return VirshError.ended(1, null, complaints[command[0] ?? ""] ?? "error: unknown command");
  };
  const run = async (commands: readonly (readonly string[])[], signal: AbortSignal): Promise<string> => {
    signal.throwIfAborted();
    processes.push(commands.map((command) => command.join(" ")));
    const answers = commands.map(answer);
    const failed = strict ? answers.find((one) => one instanceof VirshError) : answers.at(-1);
    if (failed instanceof VirshError) throw failed;
    return answers.filter((one) => typeof one === "string").join("");
  };
  const never = () => {
    throw new Error("BUG: not asked for here");
  };
  const virsh: Virsh = {
    call: (args, { signal }) => run([args], signal),
    all: (commands, { signal }) => run(commands, signal),
    bytes: never,
    follow: never,
    console: never,
  };
  return { virsh, processes };
}

interface Vanishing {
  readonly vanished: readonly string[];
  readonly strict: boolean;
}

const complaints: Readonly<Record<string, string>> = {
  "pool-dumpxml":
    "error: failed to get pool 'nope'\nerror: Storage pool not found: no storage pool with matching name 'nope'",
  "nodedev-dumpxml":
    "error: Could not find matching device 'x'\nerror: Node device not found: no node device with matching name 'x'",
};

const signal = () => new AbortController().signal;
const inventoryOf = (sample: HostSample) => readInventory(fakeHost(sample).virsh, settings, signal());

describe("the inventory of a host", () => {
  it("is read as libvirt really prints it", async () => {
    const inventory = await inventoryOf(small);
    expect(inventory).toMatchObject({
      uuid: "32b0b997-4460-4e87-9764-d3ff0ca7801a",
      arch: "x86_64",
      threads: 2,
      pool: { type: "dir", path: "/var/lib/libvirt/images" },
      gpus: [],
      switches: [],
    });
    expect(inventory.memoryGib).toBeCloseTo(18.2131, 3);
    expect(inventory.storageGb).toBeCloseTo(12.638, 3);
  });

  it("has the processors and the memory of all nodes, and the GPUs", async () => {
    const inventory = await inventoryOf(hgxH100);
    expect(inventory).toMatchObject({ threads: 224, memoryGib: 2048, storageGb: 28_000, iommu: true });
    expect(inventory.cells.map(({ id }) => id)).toEqual([0, 1]);
    expect(inventory.gpus.map(({ address }) => address)).toEqual(hgxGpus);
    expect(inventory.gpus[4]).toMatchObject({
      vendorId: "10de",
      productId: "2330",
      product: "GH100 [H100 SXM5 80GB]",
      numaNode: 1,
      driver: "vfio-pci",
      iommuGroup: { number: 44, others: [] },
      obstacle: undefined,
    });
    expect(inventory.switches.map(({ address }) => address)).toEqual(hgxSwitches);
  });

  it("has a pool that is no directory by its kind, and one that is not active as empty", async () => {
    expect((await inventoryOf(desktop)).pool).toMatchObject({ type: "logical", path: "/dev/vg0" });
    const inactive = { ...small, pool: "<pool type='rbd'><name>default</name><source/></pool>" };
    expect(await inventoryOf(inactive)).toMatchObject({ pool: { type: "rbd", path: undefined }, storageGb: 0 });
  });

  it("takes three processes, however many devices there are", async () => {
    const { virsh, processes } = fakeHost(hgxH100);
    await readInventory(virsh, settings, signal());
    expect(processes).toHaveLength(3);
    expect(processes[0]).toEqual(["capabilities", "nodedev-list --cap pci"]);
    expect(processes[1]).toEqual(["pool-dumpxml default"]);
    expect(processes[2]).toHaveLength(Object.keys(hgxH100.devices).length);
  });

  it("of a host without PCI devices takes two", async () => {
    const { virsh, processes } = fakeHost({ ...small, devices: {} });
    expect((await readInventory(virsh, settings, signal())).gpus).toEqual([]);
    expect(processes).toHaveLength(2);
  });

  it("never asks for so many devices at once that the kernel would not start virsh", async () => {
    const devices = nodedevs(
      Array.from({ length: 4500 }, (_, index): SampleDevice => {
        const bus = (index >> 8).toString(16).padStart(2, "0");
        const slot = ((index >> 3) & 31).toString(16).padStart(2, "0");
        const address = `0000:${bus}:${slot}.${index & 7}`;
        return { address, class: index === 4499 ? "030200" : "020000", vendor: ["10de", ""], product: ["2330", ""] };
      }),
    );
    const { virsh, processes } = fakeHost({ ...small, devices });
    expect((await readInventory(virsh, settings, signal())).gpus).toHaveLength(1);
    expect(processes.length).toBeGreaterThan(3);
    for (const commands of processes) expect(commands.join("; ").length).toBeLessThan(131_072);
  });
});

describe("a device that goes while the host is read", () => {
  const names = Object.keys(hgxH100.devices);
  const gone = nodedevName(hgxGpus[5] ?? "");
  const rest = hgxGpus.filter((address) => nodedevName(address) !== gone);

  it.each([
    ["virsh says nothing of it and goes on", false],
    ["virsh fails all for it", true],
  ])("is missing, and nothing else, where %s", async (_how, strict) => {
    const { virsh } = fakeHost(hgxH100, { vanished: [gone], strict });
    const inventory = await readInventory(virsh, settings, signal());
    expect(inventory.gpus.map(({ address }) => address)).toEqual(rest);
    expect(inventory.switches).toHaveLength(4);
  });

  it("takes no other with it, whichever it is", async () => {
    for (const name of names) {
      const { virsh } = fakeHost(hgxH100, { vanished: [name], strict: true });
      const { gpus, switches } = await readInventory(virsh, settings, signal());
      const others = [...hgxGpus, ...hgxSwitches].filter((address) => nodedevName(address) !== name);
      expect([...gpus, ...switches].map(({ address }) => address)).toEqual(others);
    }
  });

  it("is no trouble as the last one, with others gone too, or with all of them", async () => {
    const last = names.at(-1) ?? "";
    for (const strict of [false, true]) {
      const some = fakeHost(hgxH100, { vanished: [names[0] ?? "", gone, last], strict });
      const { gpus } = await readInventory(some.virsh, settings, signal());
      expect(gpus.map(({ address }) => address)).toEqual(rest);
      const all = fakeHost(small, { vanished: Object.keys(small.devices), strict });
      expect((await readInventory(all.virsh, settings, signal())).gpus).toEqual([]);
    }
  });
});

describe("an inventory that cannot be read", () => {
  it("says that there is no such pool", async () => {
    const reading = readInventory(fakeHost(small).virsh, { pool: "nope" }, signal());
    await expect(reading).rejects.toSatisfy((error) => error instanceof VirshError && error.means("noSuchPool"));
  });

  it("says why the host does not respond", async () => {
    const away = VirshError.ended(1, null, "error: failed to connect to the hypervisor\nerror: Connection refused");
    const { virsh } = fakeHost(small);
    const broken: Virsh = { ...virsh, all: () => Promise.reject(away) };
    await expect(readInventory(broken, settings, signal())).rejects.toBe(away);
  });

  it("says that the host went while its devices were read, instead of calling them gone", async () => {
    const away = VirshError.ended(1, null, "error: Disconnected from qemu:///system due to end of file");
    const { virsh } = fakeHost(small);
    const broken: Virsh = {
      ...virsh,
      all: (commands, options) =>
        commands[0]?.[0] === "nodedev-dumpxml" ? Promise.reject(away) : virsh.all(commands, options),
    };
    await expect(readInventory(broken, settings, signal())).rejects.toBe(away);
  });

  it("is aborted with the reason", async () => {
    const reason = new Error("too late");
    await expect(readInventory(fakeHost(small).virsh, settings, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("is not made up from an empty answer", async () => {
    await expect(inventoryOf({ ...small, capabilities: "" })).rejects.toThrow("libvirt does not say what the host has");
    await expect(inventoryOf({ ...small, pool: "" })).rejects.toThrow("no XML");
  });
});

it("a pool may have any name", async () => {
  const odd = 'my pool; it\'s "mine"';
  const { virsh, processes } = fakeHost({ ...small, pool: poolXml("dir", 1, "/x") });
  const named: Virsh = {
    ...virsh,
    call: ([command = "", pool], options) => virsh.call([command, pool === odd ? "default" : "nope"], options),
  };
  expect((await readInventory(named, { pool: odd }, signal())).pool.path).toBe("/x");
  expect(processes.flat().join()).not.toContain(odd);
});
