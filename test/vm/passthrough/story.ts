// What is tried on the GPU host, through the engine as the service has it. Used by run.ts.

import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError, type HostReport, type MachineSpec } from "../../../src/engines/engine.ts";
import { LibvirtEngine } from "../../../src/engines/libvirt/engine.ts";
import { type Inventory, readInventory } from "../../../src/engines/libvirt/host/inventory.ts";
import { type LibvirtSettings, resolveLibvirt } from "../../../src/engines/libvirt/settings/settings.ts";
import { openVirsh, type Virsh } from "../../../src/engines/libvirt/virsh/virsh.ts";
import { guestSpec } from "../../support/machine-spec.ts";
import { lightCommandLine } from "../lab/light-guest/build.ts";
import type { GpuHost } from "./gpu-host.ts";
import { setUpLibvirt } from "./libvirt-set-up.ts";
import type { Report } from "./report.ts";
import type { Witness } from "./witness.ts";

/** Where the host has the cards of cards.ts, and what drives the functions of the first until a machine has it. */
const gpu = "0000:01:00.0";
const companions = ["0000:01:00.1", "0000:01:00.2"];
const neighboured = "0000:03:01.0";
const driversAtHome = "bochs-drm snd_hda_intel none";
const driversAway = "vfio-pci vfio-pci vfio-pci";

const bootMinutes = 20;

export async function tryPassthrough(host: GpuHost, witness: Witness, report: Report): Promise<void> {
  const settings = settingsFor(host, witness);
  const virsh = openVirsh(host.uri);
  await setUpLibvirt(virsh);
  const engine = new LibvirtEngine(settings, "passthrough");
  try {
    await new Story({ host, witness, settings, virsh, engine, report }).tell();
  } finally {
    await engine.close();
  }
}

function settingsFor({ uri, login }: GpuHost, { initrd, commandLine }: Witness): LibvirtSettings {
  const boot = { initrd: basename(initrd), cmdline: `${lightCommandLine} ${commandLine}` };
  const [settings] = resolveLibvirt(
    [
      {
        name: "passthrough",
        hosts: [{ name: "gpu-host", uri, region: "lab" }],
        accelerator: "emulated",
        firmware: "bios",
        pool: "lessor",
        network: "lessor",
        images: { light: { volume: "light.qcow2", kernel: "light-vmlinuz", ...boot } },
        gpu_models: { "1234:1111": { model: "bochs", memory_gib: 1 } },
        ssh_probe: { command: [...login.slice(0, -1), "-W", "{ip}:{port}", ...login.slice(-1)] },
      },
    ],
    "the settings of this test",
  );
  if (settings === undefined) throw new Error("BUG: no settings of the engine that was just described");
  return settings;
}

interface Scene {
  readonly host: GpuHost;
  readonly witness: Witness;
  readonly settings: LibvirtSettings;
  readonly virsh: Virsh;
  readonly engine: LibvirtEngine;
  readonly report: Report;
}

class Story {
  readonly #host: GpuHost;
  readonly #expected: Witness;
  readonly #settings: LibvirtSettings;
  readonly #virsh: Virsh;
  readonly #engine: LibvirtEngine;
  readonly #report: Report;

  constructor({ host, witness, settings, virsh, engine, report }: Scene) {
    this.#host = host;
    this.#expected = witness;
    this.#settings = settings;
    this.#virsh = virsh;
    this.#engine = engine;
    this.#report = report;
  }

  async tell(): Promise<void> {
    await this.#findCards();
    const first = this.#machine();
    const second = this.#machine();
    await this.#engine.create(first, within(120));
    await this.#engine.create(second, within(120));
    await this.#drivers("a machine that is halted takes nothing from the host", driversAtHome);
    await this.#start(first);
    await this.#drivers("a machine that runs has the whole card", driversAway);
    await this.#refuse(second);
    await this.#hear(first);
    await this.#stop(first);
    await this.#drivers("a machine that has halted gives the card back to the host's drivers", driversAtHome);
    await this.#start(second);
    await this.#drivers("the other machine has it now", driversAway);
    await this.#engine.remove(second, within(120));
    await this.#drivers("a machine that is removed while it runs gives it back too", driversAtHome);
    await this.#engine.remove(first, within(120));
    const left = (await this.#virsh.call(["list", "--all", "--name"], { signal: within(60) })).trim();
    this.#report.holds("nothing is left of the machines", left === "", left);
  }

  async #findCards(): Promise<void> {
    const { gpus } = await this.#inventory();
    const [whole, shared] = [gpu, neighboured].map((address) => gpus.find((one) => one.address === address));
    const all = JSON.stringify(whole?.companions) === JSON.stringify(companions) && whole?.obstacle === undefined;
    this.#report.holds("the card is found, with the rest of its functions", all, whole);
    const why = shared?.obstacle ?? "";
    this.#report.holds(
      "the card that shares its group is not rented, and it is said why",
      /no part of it$/.test(why),
      why,
    );
    const reported = await this.#provedHost();
    this.#report.holds("the host is proved to run machines", reported?.available === true, reported);
    const healthy = reported?.gpus.filter((one) => one.healthy).map(({ address, model }) => `${model} ${address}`);
    this.#report.holds("the one card is offered", healthy?.join() === `bochs ${gpu}`, healthy);
  }

  /** As it is reported once the proof is over, which goes on after the first answer where a host is as slow as this one. */
  async #provedHost(): Promise<HostReport | undefined> {
    const deadline = performance.now() + 120_000;
    for (;;) {
      const [reported] = await this.#engine.hosts(within(60));
      if (reported?.available === true || performance.now() > deadline) return reported;
      await sleep(2000);
    }
  }

  #inventory(): Promise<Inventory> {
    return readInventory(this.#virsh, this.#settings, within(120));
  }

  #machine(): MachineSpec {
    return {
      id: crypto.randomUUID(),
      host: "gpu-host",
      accountId: crypto.randomUUID(),
      generation: 1,
      vcpus: 1,
      memoryGib: 1,
      storageGb: 2,
      gpuAddresses: [gpu],
      image: "light",
      guest: guestSpec(),
    };
  }

  /** Looks at the host all the while, as the service does: libvirt answers nobody about a machine that it starts. */
  async #start(machine: MachineSpec): Promise<void> {
    const began = performance.now();
    let over = false;
    const started = this.#engine.start(machine, within(300)).finally(() => {
      over = true;
    });
    const looks: string[] = [];
    while (!over) {
      const asked = performance.now();
      const { unreachableHosts } = await this.#engine.list(within(60));
      looks.push(`${secondsSince(asked)}${unreachableHosts.length > 0 ? " (does not answer)" : ""}`);
      await Promise.race([started.catch(() => {}), sleep(500)]);
    }
    const { power } = await started;
    const seen = `after ${secondsSince(began)} s; lists of the host's machines meanwhile took ${looks.join(", ")} s`;
    this.#report.holds("the machine starts", power === "running" || power === "starting", seen);
  }

  async #refuse(machine: MachineSpec): Promise<void> {
    const error: unknown = await this.#engine.start(machine, within(120)).then(
      () => undefined,
      (reason) => reason,
    );
    const isRefused = error instanceof EngineError && error.kind === "refused" && error.code === "gpu-in-use";
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
    this.#report.holds("a second machine with that card is refused: gpu-in-use", isRefused, `${error}\n${cause}`);
  }

  async #hear(machine: MachineSpec): Promise<void> {
    const { mark, foreign } = this.#expected;
    this.#report.tell(`waiting for the guest, at most ${bootMinutes} minutes`);
    const said = await this.#consoleOf(machine);
    const says = (claim: string, line: string) => {
      const near = said.find((one) => one.startsWith(line.split(" ")[0] ?? ""));
      this.#report.holds(claim, said.includes(line), said.includes(line) ? line : near);
    };
    says("the guest has the display", "has 0x1234:0x1111");
    says("and the sound device", "has 0x8086:0x293e");
    says("and edu", "has 0x1234:0x11e8");
    says("it reads the device's registers", "edid 0xFFFFFF00 0x00FFFFFF");
    says("it writes to the device's memory", `pixels ${mark}`);
    const pixels = (
      await this.#host.on(`read -r start rest </sys/bus/pci/devices/${gpu}/resource; echo $start`)
    ).trim();
    const outside = await this.#host.monitor(`xp /1xw ${pixels}+4096`);
    this.#report.holds("which is that of the real one", outside.endsWith(`: ${mark.toLowerCase()}`), outside);
    says("the device reads and writes the guest's memory", `copied ${mark}`);
    const faults = await this.#host.on("dmesg | grep 'DMAR.*01:00.2' | tail -1 || :");
    const address = new RegExp(`fault addr 0x${foreign.toString(16)}\\b`);
    this.#report.holds("and no other: the host's IOMMU has stopped it", address.test(faults), faults.trim());
  }

  /** What it says as a witness. */
  async #consoleOf(machine: MachineSpec): Promise<string[]> {
    const deadline = performance.now() + bootMinutes * 60_000;
    for (;;) {
      const log = await this.#engine.consoleLog(machine, within(60));
      const said = [...log.matchAll(/^witness: (.*?)\r?$/gm)].flatMap(([, line]) => line ?? []);
      if (said.includes("done")) return said;
      if (performance.now() > deadline) {
        this.#report.holds("the guest is up in time", false, log.slice(-1000));
        return said;
      }
      await sleep(5000);
    }
  }

  async #stop(machine: MachineSpec): Promise<void> {
    const began = performance.now();
    await this.#engine.stop(machine, within(120));
    for (;;) {
      const asked = performance.now();
      // One that does not answer meanwhile is told, and is no failure.
      const power = await this.#engine.inspect(machine, within(60)).then(
        (report) => report?.power,
        (error) => this.#report.tell(`inspect: ${error} after ${secondsSince(asked)} s`),
      );
      if (power === "halted") break;
      if (performance.now() - began > 180_000) throw new Error("The machine does not halt");
      await sleep(1000);
    }
    this.#report.holds("the machine halts", true, `after ${secondsSince(began)} s`);
  }

  async #drivers(claim: string, expected: string): Promise<void> {
    const look = `for one in ${[gpu, ...companions].join(" ")}; do
      driver=$(readlink /sys/bus/pci/devices/$one/driver) && echo \${driver##*/} || echo none; done`;
    const seen = (await this.#host.on(look)).trim().split("\n").join(" ");
    this.#report.holds(claim, seen === expected, seen);
  }
}

function secondsSince(began: number): string {
  return ((performance.now() - began) / 1000).toFixed(1);
}

function within(seconds: number): AbortSignal {
  return AbortSignal.timeout(seconds * 1000);
}
