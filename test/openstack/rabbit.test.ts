// A lab with each of Nova's services in a process of its own: what is killed there comes back.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type StartedLab, startLab } from "./lab/lab.ts";

let started: StartedLab;

beforeAll(async () => {
  started = await startLab({ bus: "rabbit", log: (line) => process.stderr.write(`lab: ${line}\n`) });
});
afterAll(() => started?.stop());

const soon = { timeout: 120_000, interval: 200 };

it("makes a server active, and goes on with it after any of Nova's services was killed", async () => {
  const { lab } = started;
  const act = async (path: string, body: object) => {
    const response = await lab.request("compute", path, { method: "POST", body });
    expect(response).toMatchObject({ status: 202 });
    return response.body;
  };
  const { imageId: imageRef, networkId: uuid } = lab.ids;
  const server = { name: "lab-test", flavorRef: "gpu.h200.1", imageRef, networks: [{ uuid }], host: "gpu1" };
  const { id } = (await act("/servers", { server })).server;
  const status = async () => (await lab.request("compute", `/servers/${id}`)).body.server.status;
  await expect.poll(status, soon).toBe("ACTIVE");
  const services = ["nova-api", "nova-conductor", "nova-scheduler", "nova-compute-gpu1"];
  expect(lab.services).toEqual(expect.arrayContaining(services));
  for (const name of services) await lab.kill(name);
  for (const name of services) await lab.start(name);
  await lab.hostsAreUp();
  await act(`/servers/${id}/action`, { "os-stop": null });
  await expect.poll(status, soon).toBe("SHUTOFF");
  await lab.wipe();
  expect(await lab.orphans()).toEqual([]);
});

it("shows a host as down whose nova-compute is killed", async () => {
  const { lab } = started;
  const state = async () => {
    const { body } = await lab.request("compute", "/os-services?host=gpu2&binary=nova-compute");
    return body.services[0].state;
  };
  await lab.kill("nova-compute-gpu2");
  await expect.poll(state, soon).toBe("down");
  await lab.start("nova-compute-gpu2");
  await expect.poll(state, soon).toBe("up");
});
