// What `lessor events` prints of an event: no JSON for what has a table of fields.

import { expect, it } from "vitest";
import { detailsOf } from "./event-details.ts";

const launch = {
  ...{ id: "0198c5a2", state: "waiting", instance_type: "gpu_1x_a10", region: null, quantity: 2, spot: false },
  ...{ until: "2026-03-02T12:00:00.000Z", blocked_by: "capacity", reason: null, instance_ids: [] },
};
const reservation = {
  ...{ id: "0198", name: "week", state: "active", instance_type: "gpu_1x_a10", region: "north", quantity: 2 },
  ...{ from: "2026-03-01T12:00:00.000Z", to: "2026-03-02T12:00:00.000Z", reason: null },
};
const capacity = { instance_type: "gpu_1x_a10", region: "north", available: 3 };

it.each([
  [{ launch }, "id=0198c5a2 instance_type=gpu_1x_a10 quantity=2 until=2026-03-02T12:00:00.000Z blocked_by=capacity"],
  [
    { launch: { ...launch, blocked_by: null, spot: true, region: "north", instance_ids: ["a", "b"] } },
    "id=0198c5a2 instance_type=gpu_1x_a10 spot=true region=north quantity=2 until=2026-03-02T12:00:00.000Z instance_ids=a,b",
  ],
  [
    { reservation },
    "name=week instance_type=gpu_1x_a10 region=north quantity=2 from=2026-03-01T12:00:00.000Z to=2026-03-02T12:00:00.000Z",
  ],
  [
    { reservation: { name: "week" }, account_id: "7", hosts: { "host-1": 2 } },
    'name=week account_id=7 hosts={"host-1":2}',
  ],
  [{ capacity, notice_ids: ["1"] }, "instance_type=gpu_1x_a10 region=north available=3"],
  [
    { instance_id: "1", name: "batch", state: "active", generation: 3, ip: null, evict_at: "2026-03-01T12:00:00.000Z" },
    "name=batch state=active evict_at=2026-03-01T12:00:00.000Z",
  ],
  [
    { name: "batch", failure: { code: "boot", message: "It failed." } },
    "name=batch failure_code=boot failure_message=It failed.",
  ],
] satisfies [object, string][])("%j", (data, text) => {
  expect(detailsOf({ data })).toBe(text);
});
