// The fake hosts are trusted by every test of the engine on them, so they have tests of their own; that they answer as a
// real libvirt does is in transcript.test.ts.

import { connect } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { says } from "../../../src/engines/libvirt/virsh/virsh-error.ts";
import { readOne } from "../../../src/engines/libvirt/xml/read.ts";
import { eventually, failure, signal } from "../engine-calls.ts";
import { hgxDevices, hgxGpus } from "../libvirt-samples/hgx-h100.ts";
import type { FakeLibvirt } from "./fake-libvirt.ts";
import { beginStand } from "./stand.ts";

interface Part {
  readonly uuid?: string;
  readonly type?: string;
  readonly devices?: string;
  readonly onReboot?: string;
}

function domain(name: string, part: Part = {}): string {
  const { uuid = crypto.randomUUID(), type = "kvm", devices = "", onReboot = "restart" } = part;
  const mac = "<interface type='network'><source network='default'/><mac address='52:00:00:00:00:01'/></interface>";
  const serial = "<serial type='pty'><log file='/run/x.log' append='off'/></serial>";
  const shell = "<console type='pty'><target type='virtio' port='1'/><alias name='ua-shell'/></console>";
  return (
    `<domain type='${type}'><name>${name}</name><uuid>${uuid}</uuid><os><type>hvm</type></os>` +
    `<on_reboot>${onReboot}</on_reboot><devices>${mac}${serial}${shell}${devices}</devices></domain>`
  );
}

function hostDevice(address: string): string {
  const [domainPart, bus, slot, fn] = address.split(/[:.]/);
  const source = `<address domain='0x${domainPart}' bus='0x${bus}' slot='0x${slot}' function='0x${fn}'/>`;
  return `<hostdev mode='subsystem' type='pci' managed='yes'><source>${source}</source></hostdev>`;
}

/** With h1, which a domain called "one" is defined on. */
async function begin() {
  const { fake, door } = await beginStand();
  const host = fake.world.host("h1");
  const virsh = fake.virsh(host.uri);
  const call = (...args: string[]) => virsh.call(args, { signal: signal() });
  const give = (input: string, ...args: string[]) => virsh.call([...args, "/dev/stdin"], { input, signal: signal() });
  const reserve = "<host mac='52:00:00:00:00:01' ip='127.66.1.20'/>";
  await call("net-update", "default", "add", "ip-dhcp-host", reserve, "--live", "--config");
  await give(domain("one"), "define");
  return { fake, door, host, virsh, call, give };
}

function followed(fake: FakeLibvirt) {
  const lines: string[] = [];
  const ends: string[] = [];
  const stop = fake
    .virsh(fake.world.host("h1").uri)
    .follow([["hostname"], ["event", "--all", "--loop", "--timestamp"]], {
      onLine: (line) => lines.push(line.replace(/^\d{4}-\S+ \S+: /, "")),
      onEnd: (why) => ends.push(why),
    });
  return { lines, ends, stop };
}

function greeting(address: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port });
    socket.on("data", (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(""));
  });
}

describe("a guest", () => {
  it("answers on the SSH port of the address that is reserved for it, and only while it is up", async () => {
    const { fake, door, call } = await begin();
    fake.world.manners.bootMs = undefined;
    await call("start", "one");
    expect(await greeting("127.66.1.20", door.port)).toBe("");
    fake.world.guest("one").boot();
    expect(await greeting("127.66.1.20", door.port)).toBe("SSH-2.0-fake\r\n");
    expect(await greeting("127.66.1.21", door.port)).toBe("");
    await call("destroy", "one");
    expect(await greeting("127.66.1.20", door.port)).toBe("");
    expect(door.knocks).toEqual(["127.66.1.20", "127.66.1.20", "127.66.1.21", "127.66.1.20"]);
  });

  it("boots by itself, halts when it is asked, and not where it has no manners", async () => {
    const { fake, call } = await begin();
    await call("start", "one");
    await eventually(() => fake.world.guest("one").isUp).toBe(true);
    await call("shutdown", "one", "--mode", "acpi");
    await eventually(() => fake.world.domain("one").domain.running).toBeUndefined();
    expect(await call("domstate", "one", "--reason")).toBe("shut off (shutdown)\n");

    fake.world.manners.haltMs = undefined;
    vi.useFakeTimers();
    await call("start", "one");
    await call("shutdown", "one", "--mode", "acpi");
    vi.advanceTimersByTime(600_000);
    vi.useRealTimers();
    expect(await call("domstate", "one")).toBe("running\n");
  });

  it("that powers off, is killed or reboots is told of as the real one is", async () => {
    const { fake, call } = await begin();
    const { lines } = followed(fake);
    await eventually(() => lines).toEqual(["h1"]);
    for (const fate of ["powerOff", "crash"] as const) {
      await call("start", "one");
      fake.world[fate]("one");
    }
    expect(await call("domstate", "one", "--reason")).toBe("shut off (crashed)\n");
    await call("start", "one");
    fake.world.reboot("one");
    expect(await call("domstate", "one", "--reason")).toBe("running (booted)\n");
    const started = ["Resumed Unpaused", "Started Booted"];
    const told = [
      ...started,
      "Shutdown Finished after guest request",
      "Stopped Shutdown",
      ...started,
      "Stopped Failed",
      ...started,
    ];
    const reboot = "event 'reboot' for domain 'one'";
    expect(lines).toEqual(["h1", ...told.map((what) => `event 'lifecycle' for domain 'one': ${what}`), reboot]);
  });

  it("writes to its console's file, which a pool shows once it was refreshed", async () => {
    const { call, host, give } = await begin();
    await give("<pool><name>run</name><target><path>/run</path></target></pool>", "pool-create");
    await call("start", "one");
    expect(says(await failure(call("vol-dumpxml", "--pool", "run", "x.log")), "noSuchVolume")).toBe(true);
    await call("pool-refresh", "run");
    expect(await call("vol-download", "--pool", "run", "x.log", "/dev/stdout")).toContain("boot 1 of one");
    expect(host.storage.names("run")).toEqual(["x.log"]);
  });

  it("is known by the seed that it was started with", async () => {
    const { fake, host, give, call } = await begin();
    host.storage.addVolume("default", "two.seed.iso", { content: Buffer.from("the seed") });
    const source = "<source pool='default' volume='two.seed.iso'/>";
    const seed = `<disk type='volume' device='cdrom'>${source}</disk>`;
    await give(domain("two", { devices: seed }), "define");
    await call("start", "two");
    expect(fake.world.guest("two").seeds.map(String)).toEqual(["the seed"]);
  });
});

describe("a console", () => {
  it("echoes what is typed, ends when the next one opens, and with its domain", async () => {
    const { fake, call, virsh } = await begin();
    await call("start", "one");
    await eventually(() => fake.world.guest("one").isUp).toBe(true);
    const ends: string[] = [];
    const shown: string[] = [];
    const open = async (name: string) => {
      const console = await virsh.console({ domain: "one", device: "ua-shell" }, signal());
      console.onData((data) => shown.push(Buffer.from(data).toString()));
      console.onEnd(() => ends.push(name));
      return console;
    };
    await open("first");
    const second = await open("second");
    await eventually(() => ends).toEqual(["first"]);
    second.write(Buffer.from("exit\n"));
    expect(shown).toEqual(["exit\n", expect.stringMatching(/^logout\r\n/)]);
    await call("destroy", "one");
    await eventually(() => ends).toEqual(["first", "second"]);
  });

  it("of what is off, or not there, is refused in libvirt's words", async () => {
    const { call, virsh } = await begin();
    const complaint = async (domain: string, device?: string) => {
      const order = device === undefined ? { domain } : { domain, device };
      return (await failure(virsh.console(order, signal()))) as Error;
    };
    expect((await complaint("one")).message).toContain("The domain is not running");
    expect((await complaint("none")).message).toContain("failed to get domain 'none'");
    await call("start", "one");
    expect((await complaint("one", "ua-none")).message).toContain("cannot find character device ua-none");
  });

  it("notices a killed daemon only when something is written", async () => {
    const { host, call, virsh } = await begin();
    await call("start", "one");
    const console = await virsh.console({ domain: "one" }, signal());
    let ends = 0;
    console.onEnd(() => ends++);
    host.stopDaemon();
    await new Promise(setImmediate);
    expect(ends).toBe(0);
    console.write(Buffer.from("x"));
    await eventually(() => ends).toBe(1);
  });
});

describe("a device of the host", () => {
  it("is in one running domain only, whole group and all, and only with VFIO", async () => {
    const { host, give, call } = await begin();
    host.hardware.addGpu("0000:81:00.0", { iommuGroup: 9 });
    await give(domain("two", { devices: hostDevice("0000:81:00.0") }), "define");
    await give(domain("three", { devices: hostDevice("0000:81:00.0") }), "define");
    host.hardware.vfio = false;
    const refused = (await failure(call("start", "two"))) as Error;
    expect(refused.message).toContain("host doesn't support passthrough of host PCI devices");
    host.hardware.vfio = true;
    await call("start", "two");
    const taken = await failure(call("start", "three"));
    expect((taken as Error).message).toContain("PCI device 0000:81:00.0 is in use by driver QEMU, domain two");
    expect(says(taken, "deviceInUse")).toBe(true);
    await call("destroy", "two");
    host.hardware.addGpu("0000:81:00.1", { class: "040300", iommuGroup: 9, driver: "snd_hda_intel" });
    expect(says(await failure(call("start", "three")), "noPassthrough")).toBe(true);
  });

  it("is described as libvirt describes it", async () => {
    const { host, call } = await begin();
    host.hardware.addSamples(hgxDevices);
    const names = (await call("nodedev-list", "--cap", "pci")).trim().split("\n");
    expect(names).toHaveLength(hgxDevices.length);
    const name = `pci_${hgxGpus[0]?.replace(/[:.]/g, "_")}`;
    const pci = readOne(await call("nodedev-dumpxml", name)).one("capability");
    expect([pci?.one("vendor")?.attribute("id"), pci?.one("bus")?.text]).toEqual(["0x10de", `${0x1b}`]);
  });
});

describe("an accelerator", () => {
  it.each([
    ["works", 1024 ** 2, 0],
    ["works", 64 * 1024, 1],
    ["hangs", 1024 ** 2, 1],
  ] as const)("that %s is told by a domain of %d bytes that ends at its first reset", async (how, bytes, left) => {
    const { fake, host, give } = await begin();
    host.hardware.accelerators.kvm = how;
    host.storage.addVolume("default", "proof.img", { capacity: bytes });
    const disk = "<disk type='volume' device='disk'><source pool='default' volume='proof.img'/></disk>";
    vi.useFakeTimers();
    await give(domain("proof", { onReboot: "destroy", devices: disk }), "create");
    vi.advanceTimersByTime(1000);
    vi.useRealTimers();
    expect(fake.world.domains("proof")).toHaveLength(left);
  });

  it("that is refused says so, and leaves nothing", async () => {
    const { fake, host, give } = await begin();
    host.hardware.accelerators.kvm = "refuses";
    const error = (await failure(give(domain("proof"), "create"))) as Error;
    expect(error.message).toContain("does not support virt type 'kvm'");
    await give(domain("other", { type: "qemu" }), "create");
    expect(fake.world.domains("proof")).toEqual([]);
  });
});

describe("a host", () => {
  it("whose daemon is killed refuses, ends its followers, and manages what runs when it is back", async () => {
    const { fake, host, call } = await begin();
    await call("start", "one");
    const { lines, ends } = followed(fake);
    await eventually(() => lines).toEqual(["h1"]);
    host.stopDaemon();
    expect(lines).toEqual(["h1", "events received: 0"]);
    const lost = `error: Disconnected from ${host.uri} due to I/O error\nerror: internal error: client socket is closed`;
    expect(ends).toEqual([lost]);
    expect(says(await failure(call("hostname")), "unreachable")).toBe(true);
    const again = followed(fake);
    await eventually(() => again.ends[0]).toContain("error: failed to connect to the hypervisor\nerror: unable to");
    host.startDaemon();
    expect(await call("domstate", "one")).toBe("running\n");
  });

  it("that is cut off answers nobody until the call is given up, and tells late what happened", async () => {
    const { fake, host, virsh } = await begin();
    await virsh.call(["start", "one"], { signal: signal() });
    const { lines } = followed(fake);
    await eventually(() => lines).toEqual(["h1"]);
    host.cut();
    const giveUp = new AbortController();
    const call = virsh.call(["hostname"], { signal: giveUp.signal });
    fake.world.crash("one");
    giveUp.abort(new Error("enough"));
    expect(await failure(call)).toEqual(new Error("enough"));
    expect(lines).toEqual(["h1"]);
    host.mend();
    expect(lines).toEqual(["h1", "event 'lifecycle' for domain 'one': Stopped Failed"]);
  });

  it("that was rebooted runs nothing, and has lost what lived in memory", async () => {
    const { host, give, call } = await begin();
    await give("<pool><name>run</name><target><path>/run/l</path></target></pool>", "pool-create", "--build");
    const volume = "<volume><name>v</name><capacity>1</capacity></volume>";
    await give(volume, "vol-create", "run");
    await give(volume, "vol-create", "default");
    await call("start", "one");
    await give(domain("transient"), "create");
    host.reboot();
    expect(await call("list", "--all", "--name")).toBe("one\n");
    expect(await call("domstate", "one", "--reason")).toBe("shut off (unknown)\n");
    expect(says(await failure(call("vol-list", "run")), "noSuchPool")).toBe(true);
    expect(await call("vol-list", "default")).toContain(" v ");
  });
});

describe("a fault", () => {
  it("hits a call before or after its effect, once", async () => {
    const { fake, call } = await begin();
    fake.faults.add(/^h1 start one$/, { fail: "before" });
    fake.faults.add(/^h1 start one$/, { fail: "after", isDone: true }, 1);
    expect(((await failure(call("start", "one"))) as Error).message).toBe("virsh ended with 1: after");
    expect(await call("domstate", "one")).toBe("running\n");
    expect(((await failure(call("start", "one"))) as Error).message).toBe("virsh ended with 1: before");
    expect(says(await failure(call("start", "one")), "alreadyRunning")).toBe(true);
    expect(fake.seen(/^h1 start/)).toHaveLength(3);
  });

  it("makes a call hang until its daemon ends, or answers what is not so", async () => {
    const { fake, host, call } = await begin();
    fake.faults.add(/domstate/, { answer: "paused\n" });
    expect(await call("domstate", "one")).toBe("paused\n");
    fake.faults.add(/start/, { hang: true, isDone: true });
    const hanging = failure(call("start", "one"));
    await eventually(() => fake.world.domain("one").domain.running?.id).toBe(1);
    host.restartDaemon();
    expect(says(await hanging, "unreachable")).toBe(true);
  });
});

describe("several commands in one process", () => {
  it("go on after one that fails, and only the last one's failure counts: so virsh has it", async () => {
    const { virsh } = await begin();
    const all = (...commands: string[][]) => virsh.all(commands, { signal: signal() });
    expect(await all(["domstate", "none"], ["domstate", "one"])).toBe("shut off\n");
    const error = await failure(all(["domstate", "one"], ["domstate", "none"]));
    expect(says(error, "noSuchDomain")).toBe(true);
  });
});

it("a command that the fake does not know is a bug, never an answer", async () => {
  const { call } = await begin();
  expect(await failure(call("migrate", "one"))).toEqual(new Error("BUG: the fake does not know virsh migrate"));
  expect(((await failure(call("start", "one", "--paused"))) as Error).message).toMatch(/^BUG: .* --paused/);
});
