// A member's daemon dies at a bad moment: the rental ends where it should once it is back, and nothing is left behind.

import { expect, inject, it, onTestFinished } from "vitest";
import { marks } from "../../src/engines/incus/labels.ts";
import { onlyOn } from "../support/service/hosts.ts";
import { extent } from "../support/short.ts";
import { labOf } from "./lab/lab.ts";
import { startService } from "./service.ts";

const lab = labOf(inject("lab"));

/** Never h1, through which the service speaks with the cluster. */
async function killed(member: string): Promise<void> {
  await lab.killMember(member);
  onTestFinished(() => lab.startMember(member));
}

const instancesOnCluster = async () => (await lab.lxc(["list", "--format", "csv", "--columns", "n"])).trim();

it.each(extent([300, 1500, 3500], [1500]))(
  "a daemon killed %i ms into a launch: active once it is back",
  async (moment) => {
    const service = await startService(lab);
    const ann = await service.customer("ann");
    await onlyOn(service, "h2");
    const [id = ""] = await service.launch(ann, { env_vars: { NAME: "value" } });
    await new Promise((resolve) => setTimeout(resolve, moment));
    await killed("h2");
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await lab.startMember("h2");
    await service.until(id, "active");
    expect(await service.inside(id, ann, "cat .env")).toBe("NAME='value'\n");
    await service.empty([ann]);
    expect(await instancesOnCluster()).toBe("");
  },
);

it.each(extent([50, 600], [600]))("a daemon killed %i ms into a terminate: gone once it is back", async (moment) => {
  const service = await startService(lab);
  const ann = await service.customer("ann");
  await onlyOn(service, "h2");
  const [id = ""] = await service.launch(ann);
  await service.until(id, "active");
  await service.change(ann, "terminate", [id]);
  await new Promise((resolve) => setTimeout(resolve, moment));
  await killed("h2");
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await lab.startMember("h2");
  await service.until(id, "terminated");
  expect(await instancesOnCluster()).toBe("");
});

it("a member that is evacuated makes its instances unreachable, and they are as before when it is restored", async () => {
  const service = await startService(lab);
  const ann = await service.customer("ann");
  await onlyOn(service, "h3");
  const [id = ""] = await service.launch(ann);
  await service.until(id, "active");
  onTestFinished(async () => void (await lab.lxc(["cluster", "restore", "h3", "--force"]).catch(() => {})));
  // The engine labels a machine when its first boot is complete, and does not wait for it; LXD evacuates no machine that
  // is being updated.
  const isLabelled = () => lab.lxc(["config", "get", `lessor-${id}`, marks.setUp]);
  await expect.poll(isLabelled, { timeout: 60_000, interval: 200 }).toBe("true\n");
  const operations = () => lab.lxc(["operation", "list", "--format", "csv"]);
  await expect.poll(operations, { timeout: 60_000, interval: 200 }).not.toContain("Updating instance");
  await lab.lxc(["cluster", "evacuate", "h3", "--force"]);
  const shown = async () => {
    const { status, health } = await service.show(id);
    return [status, health];
  };
  await expect.poll(shown, { timeout: 120_000, interval: 500 }).toEqual(["active", "unreachable"]);
  expect(await service.control("GET", "/hosts/h3")).toMatchObject({ available: false });
  await lab.lxc(["cluster", "restore", "h3", "--force"]);
  await expect.poll(shown, { timeout: 120_000, interval: 500 }).toEqual(["active", "ok"]);
  const login = { key: ann.key.file, command: "true" };
  await expect.poll(async () => (await service.ssh(id, login)).code, { timeout: 120_000, interval: 500 }).toBe(0);
  expect(await shown()).toEqual(["active", "ok"]);
  await service.empty([ann]);
});

it("a service that is pointed at another project by mistake does nothing, and goes on when that is mended", async () => {
  const service = await startService(lab);
  const ann = await service.customer("ann");
  const ids = await service.launch(ann, { quantity: 2 });
  for (const id of ids) await service.until(id, "active");
  const features = ["images", "profiles", "storage.volumes"].flatMap((name) => ["--config", `features.${name}=false`]);
  await lab.lxc(["project", "create", "elsewhere", ...features]);
  onTestFinished(async () => void (await lab.lxc(["project", "delete", "elsewhere"])));
  service.configure({ project: "elsewhere" });
  await service.crash();
  await expect.poll(() => service.output(), { timeout: 120_000 }).toContain("engine identity changed");
  // Longer than a machine that is missing is waited for.
  await new Promise((resolve) => setTimeout(resolve, 6000));
  for (const id of ids) expect(await service.show(id)).toMatchObject({ status: "active", failure: null });
  service.configure({});
  await service.crash();
  for (const id of ids) {
    await expect.poll(async () => (await service.show(id)).health, { timeout: 120_000, interval: 200 }).toBe("ok");
    expect(await service.inside(id, ann, "true")).toBe("");
  }
  await service.empty([ann]);
});
