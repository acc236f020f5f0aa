// A host that cannot be reached: nothing on it is assumed gone, and the others go on.

import { expect, inject, it, onTestFinished } from "vitest";
import { onlyOn } from "../support/service/hosts.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, nothingLeft, startService } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);

/** A host counts as one that does not answer some seconds after it does not. */
const soon = { timeout: 120_000, interval: 200 };

it("a host that is cut off: its machines are unreachable, never gone; the others go on; back again, all is well", async () => {
  const service = await startService(lab);
  const ann = await service.customer("ann");
  await onlyOn(service, "h2");
  const [cut = ""] = await service.launch(ann, { env_vars: { NAME: "value" } });
  await onlyOn(service, "h1");
  const [near = ""] = await service.launch(ann);
  const [{ ip }] = await Promise.all([service.until(cut, "active"), service.until(near, "active")]);
  const standing = async (id: string) => {
    const { status, health } = await service.show(id);
    return `${status} ${health}`;
  };
  const available = async () => (await service.control<{ available: boolean }>("GET", "/hosts/h2")).available;

  await lab.cutHost("h2");
  onTestFinished(() => lab.mendHost("h2"));
  await expect.poll(() => standing(cut), soon).toBe("active unreachable");
  await expect.poll(available, soon).toBe(false);
  expect(await standing(near)).toBe("active ok");
  expect(lab.qemuPids("h2").map(({ domain }) => domain)).toEqual([`lessor-${cut}`]);
  // The others do what they are told meanwhile.
  await service.change(ann, "terminate", [near]);
  await service.until(near, "terminated");
  expect(await standing(cut)).toBe("active unreachable");

  await lab.mendHost("h2");
  await expect.poll(() => standing(cut), soon).toBe("active ok");
  await expect.poll(available, soon).toBe(true);
  expect((await service.show(cut)).ip).toBe(ip);
  expect(await service.inside(cut, ann, "cat .env")).toBe("NAME='value'\n");

  // Who is told to go while nobody reaches the host, goes when it is back, and not before.
  await lab.cutHost("h2");
  await service.change(ann, "terminate", [cut]);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect((await service.show(cut)).status).toBe("terminating");
  await lab.mendHost("h2");
  await service.until(cut, "terminated");
  await nothingLeft(lab);
});
