// A whole rental on real services of OpenStack, from the launch to the end, over real HTTP, in each variant and both modes.

import { afterEach, expect, inject, it } from "vitest";
import { direct, marketplace, reference, type VariantFacts } from "../conformance/variants.ts";
import { act, hostsSeen, launchBy } from "../support/service/rental.ts";
import { extent } from "../support/short.ts";
import { type Mode, madeIn, startService } from "./ground.ts";
import { labOf } from "./lab/lab.ts";

const lab = labOf(inject("openStackLab"));

afterEach(() => lab.wipe());

type Rental = { readonly variant: VariantFacts; readonly mode: Mode };
const rentals = extent<readonly Rental[]>(
  [
    { variant: marketplace, mode: "visible" },
    { variant: direct, mode: "visible" },
    { variant: reference, mode: "visible" },
    { variant: marketplace, mode: "pool" },
  ],
  [
    { variant: marketplace, mode: "visible" },
    { variant: direct, mode: "pool" },
  ],
);

for (const { variant, mode } of rentals) {
  it(`a rental by ${variant.name} goes from its launch to its end (${mode})`, async () => {
    const service = await startService(lab, mode);
    const ann = await service.customer("ann");
    const before = await hostsSeen(service);
    const secret = "a-value-that-stays-secret";
    const more = variant === marketplace ? { env_vars: { SECRET: secret } } : {};
    const id = await launchBy(variant, service, ann, more);
    const { ip, host } = await service.until(id, "active");
    expect(ip).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect((await madeIn(lab)).servers).toEqual([`lessor-${id}`]);
    const caller = mode === "visible" ? "admin" : "tenant";
    const detail = async () =>
      (await lab.request("compute", "/servers/detail", {}, caller)).body.servers.find(
        ({ name }: { name: string }) => name === `lessor-${id}`,
      );
    // Once it is ready its secrets are nowhere in the cloud.
    await expect
      .poll(async () => Object.keys((await detail()).metadata).sort(), { timeout: 30_000 })
      .toEqual(["lessor-account", "lessor-gpus", "lessor-host", "lessor-told"]);
    expect(JSON.stringify(await detail())).not.toContain(secret);
    if (mode === "visible") expect((await detail())["OS-EXT-SRV-ATTR:host"]).toBe(host);

    await service.change(ann, "stop", [id]);
    await service.until(id, "stopped");
    expect((await detail()).status).toBe("SHUTOFF");
    await act(variant, service, ann, "restart", id);
    expect(await service.until(id, "active")).toMatchObject({ ip, host });

    expect(await hostsSeen(service)).not.toEqual(before);
    await act(variant, service, ann, "terminate", id);
    await service.until(id, "terminated");
    expect(await madeIn(lab)).toEqual({ servers: [], ports: [] });
    expect(await hostsSeen(service)).toEqual(before);
  });
}

it("a launch that Nova finds no room for fails with capacity, is not billed, and nothing of it is left", async () => {
  const service = await startService(lab, "pool");
  const ann = await service.customer("ann");
  const whole = { instance_type_name: "whole", quantity: 1 };
  // Two hosts with 8 GPUs each hold two of these; the pool claims to hold three.
  const [first = ""] = await service.launch(ann, whole);
  const [second = ""] = await service.launch(ann, whole);
  for (const id of [first, second]) await service.until(id, "active");
  const [third = ""] = await service.launch(ann, whole);
  const soon = { timeout: 120_000, interval: 200 };
  const failed = { status: "terminated", failure: { code: "no-capacity" }, active_at: null };
  await expect.poll(() => service.show(third), soon).toMatchObject(failed);
  expect((await madeIn(lab)).servers).toEqual([`lessor-${first}`, `lessor-${second}`].sort());
  await service.empty([ann]);
  expect(await madeIn(lab)).toEqual({ servers: [], ports: [] });
});
