// Whole rentals on real virtual machines, from the launch to the end, over real HTTP and real SSH, in each variant.
// Booting in emulation takes seconds, so the four of them boot, stop and go at the same time.

import { beforeAll, describe, expect, inject, it } from "vitest";
import { direct, marketplace, reference, type VariantFacts } from "../conformance/variants.ts";
import { run } from "../support/lab/run.ts";
import { act, envSeen, envVars, hostsSeen, launchBy } from "../support/service/rental.ts";
import type { Customer, Service, Shown } from "../support/service/service.ts";
import { afterFile } from "../support/when-over.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, nothingLeft, startService } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const whenOver = afterFile();

const once = 'echo "it\'s done" > /root/once; echo x >> /root/count';
/** A command runs when the machine is up, so a little later than SSH answers. */
const ranOnce = "for i in $(seq 600); do sudo test -s /root/count && break; sleep 0.2; done; sudo cat /root/count";

/** What is asked for in each variant, besides a small instance called "training" with a key. */
const rentals = [
  { variant: marketplace, more: { env_vars: envVars, file_system_names: ["data"] } },
  { variant: direct, more: { command: once } },
  { variant: reference, more: { file_system_names: ["more-data"] } },
] as const;

let service: Service;
let ann: Customer;
let bob: Customer;
let before: string[];
/** By variant; and one of variant D without keys. */
const ids = new Map<VariantFacts | "without keys", string>();
let password: string;

const idOf = (which: VariantFacts | "without keys") => ids.get(which) ?? "";
const inside = (variant: VariantFacts, command: string) => service.inside(idOf(variant), ann, command);
const domain = (id: string) => `lessor-${id}`;
const all = <T>(does: (id: string, which: VariantFacts | "without keys") => Promise<T>) =>
  Promise.all([...ids].map(([which, id]) => does(id, which)));

beforeAll(async () => {
  service = await startService(lab, { whenOver });
  [ann, bob] = [await service.customer("ann"), await service.customer("bob")];
  before = await hostsSeen(service);
  for (const name of ["data", "more-data"]) {
    const order = { name, region: "lab", size_gb: 1 };
    await service.call("POST", `${service.urls.control}/file-systems`, ann.token, order);
  }
  for (const { variant, more } of rentals) ids.set(variant, await launchBy(variant, service, ann, more));
  ids.set("without keys", await launchBy(direct, service, ann, { sshKeys: undefined, command: once }));
  await all((id) => service.until(id, "active"));
});

describe.each(rentals)("a rental by $variant.name that was just shown active", ({ variant }) => {
  // A login costs a guest in emulation most of a second, so each looks at several things.
  it("lets its renter in, who may become root, and nobody else", async () => {
    const [, key = ""] = ann.key.publicKey.split(" ");
    const seen = await inside(
      variant,
      "id -un; sudo id -un; grep -c . ~/.ssh/authorized_keys; cat ~/.ssh/authorized_keys",
    );
    expect(seen).toMatch(/^ubuntu\nroot\n1\nssh-ed25519 /);
    expect(seen).toContain(key);
    const stranger = await service.ssh(idOf(variant), { key: bob.key.file, command: "true" });
    expect(stranger).toMatchObject({ code: 255, stderr: expect.stringContaining("Permission denied") });
  });

  it("has the name that it was given, and a kernel of its own on a machine of its own", async () => {
    const look = "hostname; cat /sys/class/dmi/id/sys_vendor; sudo cat /sys/class/dmi/id/product_uuid; uname -r";
    const [name, vendor, uuid, kernel] = (await inside(variant, look)).split("\n");
    expect(name).toMatch(/^training-[0-9a-f]{8}$/);
    expect([vendor, uuid]).toEqual(["QEMU", idOf(variant)]);
    expect(kernel).toMatch(/^\d+\.\d+/);
    expect(kernel).not.toBe((await run("uname", ["-r"])).trim());
  });
});

it("two of them are on two hosts", async () => {
  const hosts = await all(async (id) => (await service.show(id)).host);
  expect(new Set(hosts).size).toBeGreaterThan(1);
  for (const id of ids.values()) {
    const { host } = await service.show(id);
    expect(lab.qemuPids(host).map((one) => one.domain)).toContain(domain(id));
  }
});

it("marketplace: the environment variables are in .env byte for byte, and nowhere on the host", async () => {
  const id = idOf(marketplace);
  expect(await envSeen(service, id, ann, Object.keys(envVars))).toEqual(envVars);
  expect(await inside(marketplace, "stat -c '%a %U' .env")).toBe("600 ubuntu\n");
  const { host } = await service.show(id);
  const stored = await lab.virsh(host, ["dumpxml", domain(id), "--security-info"]);
  for (const value of Object.values(envVars).filter((one) => one !== "")) {
    expect(stored).not.toContain(JSON.stringify(value).slice(1, -1));
    expect(stored).not.toContain(Buffer.from(value).toString("base64"));
    expect(service.output()).not.toContain(JSON.stringify(value).slice(1, -1));
  }
});

it("direct: the command ran once, as root", async () => {
  const seen = await inside(direct, `${ranOnce}; sudo cat /root/once; sudo stat -c %U /root/once`);
  expect(seen).toBe("x\nit's done\nroot\n");
});

it("direct without keys: a password, and nobody in without it", async () => {
  const id = idOf("without keys");
  const read = await service.call("GET", `${service.urls.direct}/instance/${id}`, ann.token);
  password = `${(read as { runningInstance: { password: number } }).runningInstance.password}`;
  expect(password).toMatch(/^\d{15}$/);
  const login = (with_: { password?: string; key?: string }) => service.ssh(id, { ...with_, command: ranOnce });
  expect(await login({ password })).toMatchObject({ code: 0, stdout: "x\n" });
  expect(await login({ password: "123456789012345" })).toMatchObject({ code: 255 });
  expect(await login({ key: ann.key.file })).toMatchObject({ code: 255 });
  const { host } = await service.show(id);
  expect(await lab.virsh(host, ["dumpxml", domain(id), "--security-info"])).not.toContain(password);
  expect(service.output()).not.toContain(password);
  // With a key there is none: what is asked for is never taken.
  const asked = await service.ssh(idOf(direct), { password, command: "true" });
  expect(asked).toMatchObject({ code: 255, stderr: expect.stringContaining("Permission denied") });
});

it("stopped and restarted: the same disk, the same address, .env as it was ordered, no command again", async () => {
  const renter = (which: VariantFacts | "without keys") =>
    which === "without keys" ? { password } : { key: ann.key.file };
  const active = new Map(await all(async (id) => [id, await service.show(id)] as const));
  await all((id, which) =>
    service.ssh(id, { ...renter(which), command: "echo kept > notes; echo MINE=1 >> .env; sync" }),
  );
  await service.change(ann, "stop", [...ids.values()]);
  await all((id) => service.until(id, "stopped"));
  // A halted guest is shown stopped at once, while libvirt may need seconds to put away what ran it ("in shutdown").
  const soon = { timeout: 120_000, interval: 200 };
  for (const [id, { host }] of active) {
    await expect.poll(() => lab.virsh(host, ["domstate", domain(id)]), soon).toContain("shut off");
  }
  await all((id, which) => act(which === "without keys" ? direct : which, service, ann, "restart", id));
  await all(async (id, which) => {
    const { ip, host } = active.get(id) ?? { ip: null, host: "" };
    expect(await service.until(id, "active")).toMatchObject({ ip, host } satisfies Partial<Shown>);
    const notes = await service.ssh(id, { ...renter(which), command: "cat notes" });
    expect(notes).toMatchObject({ code: 0, stdout: "kept\n" });
  });
  expect(await inside(marketplace, "grep -c MINE .env || true")).toBe("0\n");
  expect(await envSeen(service, idOf(marketplace), ann, Object.keys(envVars))).toEqual(envVars);
  expect(await inside(direct, "sudo cat /root/count")).toBe("x\n");
});

it("a terminated one leaves nothing but its file system, which the next one finds as it was", async () => {
  for (const [variant, name] of [
    [marketplace, "data"],
    [reference, "more-data"],
  ] as const) {
    expect(await inside(variant, `findmnt -no FSTYPE /mnt/${name}`)).toBe("ext4\n");
    // The renter may write there.
    await inside(variant, `echo kept by ${variant.name} > /mnt/${name}/notes; sync`);
  }
  const { host } = await service.show(idOf(marketplace));
  await all((id, which) => act(which === "without keys" ? direct : which, service, ann, "terminate", id));
  await all((id) => service.until(id, "terminated"));
  await expect
    .poll(() => lab.leftovers(), { timeout: 120_000, interval: 200 })
    .toEqual([
      expect.stringMatching(/^h\d file \S*\/lessor-fs-[0-9a-f-]{36}\.img$/),
      expect.stringMatching(/^h\d file \S*\/lessor-fs-[0-9a-f-]{36}\.img$/),
    ]);
  expect(await hostsSeen(service)).toEqual(before);

  const [next = ""] = await service.launch(ann, { file_system_names: ["data"] });
  expect(await service.until(next, "active")).toMatchObject({ host });
  expect(await service.inside(next, ann, "cat /mnt/data/notes")).toBe("kept by marketplace\n");
  await service.empty([ann]);
});

it("a file system that is deleted is gone, and then everything is as before", async () => {
  const path = `${service.urls.control}/file-systems`;
  const { data } = (await service.call("GET", path, ann.token)) as { data: { id: string }[] };
  expect(data).toHaveLength(2);
  for (const { id } of data) await service.call("DELETE", `${path}/${id}`, ann.token);
  await nothingLeft(lab);
  expect(await hostsSeen(service)).toEqual(before);
});
