// A rented machine moves between two members of a real cluster, as an operator asks for it over the service, and as an
// operator does it at the cluster itself. Its renter reads by SSH what was written before.

import { beforeAll, expect, inject, it } from "vitest";
import { launchOn } from "../support/service/hosts.ts";
import { afterFile } from "../support/when-over.ts";
import { labOf } from "./lab/lab.ts";
import { type Customer, type Service, startService } from "./service.ts";

const lab = labOf(inject("lab"));
const whenOver = afterFile();
const soon = { timeout: 240_000, interval: 100 };

let service: Service;
let ann: Customer;
let id = "";
let sum = "";

const uncordon = async () => {
  for (const { name } of lab.members) await service.control("POST", `/hosts/${name}/uncordon`);
};
const move = async () => (await service.control<{ move: object | null }>("GET", `/instances/${id}`)).move;
/** "member,state" of each copy that the cluster has. */
const copies = async () =>
  (await lab.lxc(["list", `lessor-${id}`, "--format", "csv", "--columns", "Ls"])).trim().split("\n");

async function stop(): Promise<void> {
  await service.change(ann, "stop", [id]);
  await service.until(id, "stopped");
}

beforeAll(async () => {
  service = await startService(lab, { whenOver });
  ann = await service.customer("ann");
  id = await launchOn(service, ann, "h2");
  await service.until(id, "active");
  sum = await service.inside(
    id,
    ann,
    "dd if=/dev/urandom of=written bs=1M count=200 2>/dev/null; sync; sha256sum < written",
  );
  await stop();
  await uncordon();
});

it("moves as asked for, although the service is killed meanwhile, and starts on its new host", async () => {
  await service.control("POST", `/instances/${id}/move`, { host: "h3" });
  await expect
    .poll(async () => (await lab.lxc(["operation", "list", "--format", "csv"])).includes("Migrating"), soon)
    .toBe(true);
  await service.crash();
  await service.change(ann, "restart", [id]);
  expect(await service.until(id, "active")).toMatchObject({ host: "h3", failure: null });
  expect(await service.inside(id, ann, "sha256sum < written")).toBe(sum);
  await expect.poll(move, soon).toBeNull();
  expect(await copies()).toEqual(["h3,RUNNING"]);
});

it("moved by an operator at the cluster, it is followed, and ends no rental", async () => {
  await stop();
  await lab.lxc(["move", `lessor-${id}`, "--target", "h1"]);
  await expect.poll(async () => (await service.show(id)).host, soon).toBe("h1");
  expect(await service.show(id)).toMatchObject({ status: "stopped", failure: null });
  await service.change(ann, "restart", [id]);
  expect(await service.until(id, "active")).toMatchObject({ host: "h1" });
  expect(await service.inside(id, ann, "sha256sum < written")).toBe(sum);
  await service.empty([ann]);
});
