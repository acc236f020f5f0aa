// What guests do by themselves, and what an engine lets see of them: halting, rebooting, file systems, neighbors, the
// console.

import { expect, inject, it } from "vitest";
import type { Customer, Service } from "../support/service/service.ts";
import { labOf } from "./lab/lab.ts";
import { startService } from "./service.ts";

const lab = labOf(inject("lab"));

/** Also where the guest does not answer. */
function inside(service: Service, id: string, { key }: Customer, command: string) {
  return service.ssh(id, { key: key.file, command });
}

it("a guest that reboots itself stays active, and its .env is as it was ordered", async () => {
  const service = await startService(lab, { reconciler: { boot_deadline_seconds: 120 } });
  const ann = await service.customer("ann");
  const [id = ""] = await service.launch(ann, { env_vars: { NAME: "a value" } });
  const { ip } = await service.until(id, "active");
  await inside(service, id, ann, "echo NAME=changed > .env; echo kept > notes; sync");
  const bootId = async () =>
    (await inside(service, id, ann, "systemctl show --property UserspaceTimestampMonotonic")).stdout;
  const before = await bootId();
  await inside(service, id, ann, "sudo systemctl reboot");
  const statuses = new Set<string>();
  const rebooted = async () => {
    statuses.add((await service.show(id)).status);
    const now = await bootId();
    return now !== "" && now !== before;
  };
  await expect.poll(rebooted, { timeout: 120_000, interval: 50 }).toBe(true);
  expect((await inside(service, id, ann, "cat .env notes")).stdout).toBe("NAME='a value'\nkept\n");
  // Longer than it takes to believe a halt.
  await new Promise((resolve) => setTimeout(resolve, 6000));
  expect(await service.show(id)).toMatchObject({ status: "active", ip });
  expect([...statuses]).toEqual(["active"]);
  await service.empty([ann]);
});

it("a guest that halts itself is shown stopped, goes on being held, and can be restarted", async () => {
  const service = await startService(lab);
  const ann = await service.customer("ann");
  const [id = ""] = await service.launch(ann);
  await service.until(id, "active");
  await inside(service, id, ann, "sudo systemctl poweroff");
  await service.until(id, "stopped", 60);
  await service.change(ann, "restart", [id]);
  await service.until(id, "active");
  expect(await inside(service, id, ann, "true")).toMatchObject({ code: 0 });
  await service.empty([ann]);
});

it("a file system outlives its instance, keeps its member, and is gone when it is deleted", async () => {
  const service = await startService(lab);
  const ann = await service.customer("ann");
  const fileSystem = (await service.call("POST", `${service.urls.control}/file-systems`, ann.token, {
    name: "data",
    region: "lab",
    size_gb: 1,
  })) as { data: { id: string } };
  const volume = `lessor-${fileSystem.data.id}`;
  const [first = ""] = await service.launch(ann, { file_system_names: ["data"] });
  const { host } = await service.until(first, "active");
  // The renter may write there at once.
  expect(await inside(service, first, ann, "echo kept > /mnt/data/notes && sync")).toMatchObject({ code: 0 });
  await service.change(ann, "terminate", [first]);
  await service.until(first, "terminated");
  expect(await lab.lxc(["storage", "volume", "list", "default"])).toContain(volume);

  const [second = ""] = await service.launch(ann, { file_system_names: ["data"] });
  expect(await service.until(second, "active")).toMatchObject({ host });
  expect((await inside(service, second, ann, "cat /mnt/data/notes; echo more >> /mnt/data/notes")).stdout).toBe(
    "kept\n",
  );
  await service.empty([ann]);
  await service.call("DELETE", `${service.urls.control}/file-systems/${fileSystem.data.id}`, ann.token);
  const volumes = () => lab.lxc(["storage", "volume", "list", "default"]);
  await expect.poll(volumes, { timeout: 120_000, interval: 200 }).not.toContain(volume);
});

it("three of one launch are on three members when each has room for one", async () => {
  const service = await startService(lab);
  const ann = await service.customer("ann");
  const ids = await service.launch(ann, { quantity: 3, instance_type_name: "half" });
  const shown = [];
  for (const id of ids) shown.push(await service.until(id, "active"));
  expect(new Set(shown.map(({ host }) => host)).size).toBe(3);
  for (const id of ids) expect(await inside(service, id, ann, "true")).toMatchObject({ code: 0 });
  await service.empty([ann]);
});

it("two tenants on one member cannot reach or impersonate each other", async () => {
  const service = await startService(lab);
  const [ann, bob] = [await service.customer("ann"), await service.customer("bob")];
  for (const { name } of lab.members.slice(1)) await service.control("POST", `/hosts/${name}/cordon`);
  const [hers = ""] = await service.launch(ann);
  const [his = ""] = await service.launch(bob);
  const [one, other] = [await service.until(hers, "active"), await service.until(his, "active")];
  expect(one.host).toBe(other.host);
  // The member reaches both, so both are there and answer.
  for (const [id, who] of [
    [hers, ann],
    [his, bob],
  ] as const) {
    expect(await inside(service, id, who, "true")).toMatchObject({ code: 0 });
  }
  const knock = (ip: string | null) => `timeout 3 bash -c 'exec 3<>/dev/tcp/${ip}/22 && head -c 4 <&3'`;
  expect((await inside(service, hers, ann, knock(other.ip))).stdout).toBe("");
  expect((await inside(service, his, bob, knock(one.ip))).stdout).toBe("");

  // Bob takes Ann's address: she keeps hers, and is reached at it.
  const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1000));
  const ask = "arping -A -c 2 -I eth0 $0 || ping -c 2 -W 1 -I $0 10.255.255.1; true";
  await inside(service, his, bob, `sudo ip addr add ${one.ip}/24 dev eth0; sudo sh -c '${ask}' ${one.ip}`);
  for (let attempt = 0; attempt < 5; attempt++) {
    expect(await hostname(hers, ann)).toMatchObject({ code: 0, stdout: expect.stringContaining(hers.slice(-8)) });
  }

  // Then her MAC address too. The bridge may lead her traffic to his port for a while (docs/how-to/operators/isolate-tenants.md), but nobody
  // who calls her address ever gets an answer from him.
  const mac = (await inside(service, hers, ann, "cat /sys/class/net/eth0/address")).stdout.trim();
  const change = `ip link set eth0 down; ip link set eth0 address ${mac}; ip link set eth0 up; ip addr add ${one.ip}/24 dev eth0`;
  await inside(service, his, bob, `sudo systemd-run --quiet --on-active=1 sh -c '${change}'`);
  await seconds(3);
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(await hostname(hers, bob)).toMatchObject({ code: 255, stdout: "" });
  }
  // When he is gone, she is as before.
  await service.change(bob, "terminate", [his]);
  await service.until(his, "terminated");
  const reached = async () => (await hostname(hers, ann)).stdout;
  await expect.poll(reached, { timeout: 120_000, interval: 500 }).toContain(hers.slice(-8));
  await service.empty([ann, bob]);

  /** Who answers at this instance's address, to this customer's key. */
  function hostname(id: string, who: Customer) {
    return inside(service, id, who, "hostname");
  }
});
