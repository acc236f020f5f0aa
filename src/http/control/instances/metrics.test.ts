import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf } from "../../../../test/support/control.ts";
import { type RunningHttp, startHttp } from "../../../../test/support/http.ts";
import { makeWorld, type World } from "../../../../test/support/world.ts";
import { recordGpuFaults } from "../../../rental/guest-metrics/gpu-faults.ts";
import type { Point } from "../../../rental/guest-metrics/point.ts";
import { writePoints } from "../../../rental/guest-metrics/write-samples.ts";
import { gpuMetricNames, instanceMetricNames } from "../../../rules/guest-metrics.ts";

let world: World;
let http: RunningHttp;
let mine: Awaited<ReturnType<RunningHttp["customer"]>>;
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
  mine = await http.customer();
  await world.host({ gpus: 64, vcpus: 1000, memoryGib: 8000, storageGb: 100_000 });
  await world.image({ metrics: true });
  await world.product({ name: "gpu" });
});
afterAll(async () => {
  await http.close();
  await world.close();
});

const launched = () => world.launchOne(mine.principal, { instanceType: "gpu" });
const read = (id: string, query = "", token = mine.token) =>
  http.call("GET", `${http.control}/instances/${id}/metrics${query}`, { token });
const point = (utilization: number): Point => ({
  samples: 1,
  instance: instanceMetricNames.map(() => null),
  gpus: [gpuMetricNames.map((name) => (name === "gpu_utilization" ? utilization : null))],
});

interface Body {
  readonly data: {
    readonly from: string;
    readonly to: string;
    readonly step_seconds: number;
    readonly series: readonly { metric: string; unit: string; gpu: number | null; values: (number | null)[] }[];
    readonly faults: readonly object[];
  };
}

describe("the metrics of an instance", () => {
  it("are those of the last hour, with a value for each step", async () => {
    const { id } = await launched();
    const now = new Date();
    await writePoints(world.db, now, [{ instanceId: id, point: point(61) }]);
    await world.tx((tx) => recordGpuFaults(tx, [{ instanceId: id, gpu: 0, xid: 64 }]));
    const { status, body } = await read(id);
    const { data } = body as Body;
    expect(status).toBe(200);
    expect(data.step_seconds).toBe(15);
    const [from, to] = [Date.parse(data.from), Date.parse(data.to)];
    const gpu = data.series.find(({ metric }) => metric === "gpu_utilization");
    expect(gpu).toMatchObject({ unit: "percent", gpu: 0 });
    expect(gpu?.values).toHaveLength((to - from) / 15_000);
    expect(gpu?.values.indexOf(61)).toBe(Math.floor((now.getTime() - from) / 15_000));
    expect(gpu?.values.filter((value) => value !== null)).toEqual([61]);
    expect(data.faults).toEqual([expect.objectContaining({ gpu: 0, xid: 64, meaning: expect.any(String) })]);
  });

  it("are read by operators, and not found by other accounts", async () => {
    const { id } = await launched();
    const operator = await http.customer({ scopes: ["operator"] });
    expect((await read(id, "", operator.token)).status).toBe(200);
    const other = await read(id, "", (await http.customer()).token);
    expect([other.status, codeOf(other)]).toEqual([404, "global/object-does-not-exist"]);
  });

  it("need the scope to read", async () => {
    const { id } = await launched();
    const { token } = await http.customer({ principal: mine.principal, scopes: ["write"] });
    expect((await read(id, "", token)).status).toBe(403);
  });

  it("say of the instance whether its image has an agent", async () => {
    const { id } = await launched();
    const { body } = await http.call("GET", `${http.control}/instances/${id}`, { token: mine.token });
    expect(body).toMatchObject({ data: { metrics: true } });
  });

  it.each([
    ["?step=20", "step"],
    ["?step=0", "step"],
    ["?step=99999999", "step"],
    ["?from=yesterday", "from"],
    ["?from=2999-01-01T00:00:00Z", "from"],
    ["?from=2026-03-01T00:00:00Z&to=2026-02-01T00:00:00Z", "from"],
    ["?to=never", "to"],
    ["?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z", "within the last 30 days"],
  ])("refuse %s", async (query, field) => {
    const { id } = await launched();
    const answer = await read(id, query);
    expect([answer.status, codeOf(answer)]).toEqual([400, "global/invalid-parameters"]);
    expect(JSON.stringify(answer.body)).toContain(field);
  });

  it("have a limited size", async () => {
    const { id } = await launched();
    const from = new Date(Date.now() - 86_400_000 + 60_000).toISOString();
    const most = (await read(id, `?from=${from}&step=60`)).body as Body;
    expect(most.data.series[0]?.values.length).toBeLessThanOrEqual(1500);
    expect((await read(id, `?from=${from}&step=15`)).body).toMatchObject({ data: { step_seconds: 60 } });
  });
});
