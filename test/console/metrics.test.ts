// The charts of an instance in a real browser: what its simulated guest reports, at three ranges, for eyes and for others,
// and the errors of its GPUs.

import { beforeAll, describe, expect, it } from "vitest";
import { forgive, injectFaults } from "../../src/engines/simulated/database.ts";
import { call } from "../support/http.ts";
import { afterFile } from "../support/when-over.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
let token: string;
beforeAll(async () => {
  stand = await startStand(whenOver);
  token = await stand.customerToken("acme");
});

async function instance(image?: string): Promise<string> {
  const body = { instance_type: "gpu_2x_a6000", ...(image === undefined ? {} : { image }) };
  const answer = await call("POST", `${stand.control}/instances`, { token, body });
  const { id } = (answer.body as { data: [{ id: string }] }).data[0];
  // Nothing is due while a guest boots: guests are read once it is there.
  const shown = () => call("GET", `${stand.control}/instances/${id}`, { token });
  await expect.poll(shown).toMatchObject({ body: { data: { status: "active" } } });
  return id;
}

describe("the metrics of an instance", () => {
  it("are charts with their values in words, and a table", async () => {
    // Before there is a guest: the service itself might read it first.
    const fault = await injectFaults(stand.db, { kind: "guest-reports-xid", parameters: { xid: 48, gpu: 1 } });
    const id = await instance();
    await stand.reconciler.readGuestsNow();
    await forgive(stand.db, fault);
    const page = await stand.signedIn(`/instances/${id}`, token);
    await page.getByRole("tab", { name: "Metrics" }).click();
    const gpu = page.getByRole("img", { name: /^GPU: GPU, GPU 0: now \d+(\.\d)? %, mean .*; GPU, GPU 1: now / });
    await gpu.waitFor();
    expect(await gpu.locator("path").count()).toBe(2);
    await page.getByRole("img", { name: /^GPU memory: .* GiB/ }).waitFor();
    await page.getByText("GPU 1: XID 48").waitFor();
    await page.getByText("Values as a table").click();
    await page.getByRole("row", { name: /^GPU temperature, GPU 0 \d+ °C/ }).waitFor();
    for (const range of ["24 h", "7 d", "1 h"]) {
      await page.getByRole("radiogroup", { name: "Time shown" }).getByText(range, { exact: true }).click();
      await gpu.waitFor();
    }
    await gpu.hover();
    await page.getByText(/ ago$/).first().waitFor();
  });

  it("are not offered where the image has no agent", async () => {
    const id = await instance("debian-12");
    const page = await stand.signedIn(`/instances/${id}?view=metrics`, token);
    await page.getByRole("tab", { name: "History", selected: true }).waitFor();
    expect(await page.getByRole("tab", { name: "Metrics" }).count()).toBe(0);
  });

  it("say so where the guest reports nothing", async () => {
    const fault = await injectFaults(stand.db, { kind: "guest-is-silent" });
    whenOver(() => forgive(stand.db, fault));
    const id = await instance();
    const page = await stand.signedIn(`/instances/${id}?view=metrics`, token);
    await page.getByText("The agent in the guest reported nothing in this time.").waitFor();
  });
});
