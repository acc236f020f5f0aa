// The maintenance of hosts in the fixed world: one window that lies ahead, one in force, and two that are past.

import type { Shape } from "../../../../src/client/client.ts";
import { ago, day, hour, idOf, inTime } from "./moments.ts";

type Window = Shape<"MaintenanceWindow">;

/** What an instance on the host of the first window shows. */
export const upcoming: Shape<"InstanceMaintenance"> = {
  id: idOf("window", 1),
  from: inTime(3 * day),
  to: inTime(3 * day + 4 * hour),
  reason: "New firmware of the GPUs",
  mode: "stop",
  phase: "scheduled",
  deferrable_until: inTime(5 * day),
};

export const windows: Window[] = [
  window({ ...upcoming, host: "us-east-1-a10-01", instance_ids: [idOf("instance", 2)] }),
  window({
    id: idOf("window", 2),
    host: "us-west-1-a6000-02",
    from: ago(hour),
    to: inTime(2 * hour),
    reason: "Switch is exchanged",
    mode: "nothing",
    phase: "started",
    started_at: ago(hour),
  }),
  window({
    id: idOf("window", 3),
    host: "eu-central-1-a10-01",
    from: ago(9 * day),
    to: ago(9 * day - 2 * hour),
    phase: "ended",
    started_at: ago(9 * day),
    ended_at: ago(9 * day - 2 * hour),
    deferred_at: ago(12 * day),
    deferred_by: "tensor-marketplace",
    deferrable_until: ago(8 * day),
  }),
  window({
    id: idOf("window", 4),
    host: "us-east-1-a6000-03",
    from: ago(2 * day),
    to: ago(2 * day - hour),
    phase: "canceled",
    ended_at: ago(4 * day),
  }),
];

function window(more: Pick<Window, "id" | "host" | "from" | "to" | "phase"> & Partial<Window>): Window {
  return {
    group_id: idOf("window", 100),
    reason: "PSU 2 is exchanged",
    mode: "stop",
    revision: 1,
    deferrable_until: null,
    deferred_at: null,
    deferred_by: null,
    instance_ids: [],
    created_by: "operations",
    created_at: ago(14 * day),
    started_at: null,
    ended_at: null,
    ...more,
  };
}
