// Jupyter in the answers of variant M: with a template and without one, on an image with Jupyter and on one without.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";

const template = "https://jupyter.example.com/{id}/{hostname}/{ip}/?token={token}";

let world: World;
let configured: RunningHttp;
let plain: RunningHttp;
let type: string;
beforeAll(async () => {
  world = await makeWorld();
  configured = await startHttp(world, { config: { jupyterUrlTemplate: template } });
  plain = await startHttp(world);
  await world.host({ gpus: 8 });
  type = (await world.product()).name;
});
afterAll(async () => {
  await configured?.close();
  await plain?.close();
  await world?.close();
});

interface Shown {
  readonly id: string;
  readonly jupyter_token: string;
  readonly jupyter_url: string;
}

/** An instance on a new image, and how M shows it. */
async function launched(spec: { jupyter: boolean; ip: string | null }) {
  const { name: image } = await world.image({ jupyter: spec.jupyter });
  const { principal, token } = await configured.customer();
  const { id, hostname } = await world.launchOne(principal, { instanceType: type, image: { name: image } });
  await world.db.updateTable("instances").set({ ip: spec.ip }).where("id", "=", id).execute();
  const get = async (http: RunningHttp, path: string) =>
    ((await http.call("GET", `${http.marketplace}/instances${path}`, { token })).body as { data: unknown }).data;
  return {
    id,
    hostname,
    listed: async (http: RunningHttp) => ((await get(http, "")) as Shown[])[0],
    read: async (http: RunningHttp) => (await get(http, `/${id}`)) as Shown,
    terminate: async (http: RunningHttp) => {
      const url = `${http.marketplace}/instance-operations/terminate`;
      const { body } = await http.call("POST", url, { token, body: { instance_ids: [id] } });
      return (body as { data: { terminated_instances: Shown[] } }).data.terminated_instances[0];
    },
  };
}

const empty = { jupyter_token: "", jupyter_url: "" };

describe("Jupyter of an instance in M's list", () => {
  it("is its own token and the operator's template filled in", async () => {
    const instance = await launched({ jupyter: true, ip: "203.0.113.17" });
    const listed = await instance.listed(configured);
    expect(listed?.jupyter_token).toMatch(/^[0-9a-f]{48}$/);
    const place = `${instance.id}/${instance.hostname}/203.0.113.17`;
    expect(listed?.jupyter_url).toBe(`https://jupyter.example.com/${place}/?token=${listed?.jupyter_token}`);
  });

  it("has no URL before the instance has an address", async () => {
    const instance = await launched({ jupyter: true, ip: null });
    const token = expect.stringMatching(/^[0-9a-f]{48}$/);
    expect(await instance.listed(configured)).toMatchObject({ jupyter_token: token, jupyter_url: "" });
  });

  it("is empty without a template, and on an image without Jupyter", async () => {
    const withJupyter = await launched({ jupyter: true, ip: "203.0.113.18" });
    expect(await withJupyter.listed(plain)).toMatchObject(empty);
    const without = await launched({ jupyter: false, ip: "203.0.113.19" });
    expect(await without.listed(configured)).toMatchObject(empty);
  });

  it("is empty in the single read and in the answer to an operation", async () => {
    const instance = await launched({ jupyter: true, ip: "203.0.113.20" });
    expect(await instance.read(configured)).toMatchObject(empty);
    expect(await instance.terminate(configured)).toMatchObject({ id: instance.id, ...empty });
  });
});
