// The machines of the fixed world: in every state, some in trouble, of several accounts.

import type { Shape } from "../../../../src/client/client.ts";
import { accounts } from "./accounts.ts";
import { images, regions, typeNamed } from "./catalog.ts";
import { upcoming } from "./maintenance.ts";
import { ago, costOf, day, hour, idOf, inTime, minute } from "./moments.ts";

type Instance = Shape<"Instance">;

interface Given extends Partial<Instance> {
  readonly of: string;
  readonly type: string;
  readonly on: string;
  /** Seconds since it became active. */
  readonly active?: number;
  /** Which GPUs of its host it holds, from this one on. */
  readonly gpu?: number;
}

/** What operators see of one that is worked on. */
const behind = { generation: 2, fulfilled_generation: 1, attempts: 1, next_look_at: inTime(2) };

/** The address of the `index`th GPU of any host. */
export const gpuAddress = (index: number): string => `0000:${(0x17 + index * 0x10).toString(16)}:00.0`;

export const instances: Instance[] = [
  instance(1, "training-run-7", {
    of: "demo",
    type: "gpu_8x_h100_sxm5",
    on: "us-east-1-h100-sxm5-01",
    active: 2 * day,
    tags: [
      { key: "team", value: "vision" },
      { key: "spot", value: "" },
    ],
  }),
  instance(2, "notebook", {
    of: "demo",
    type: "gpu_1x_a10",
    on: "us-east-1-a10-01",
    active: 5 * hour,
    maintenance: upcoming,
    firewall_ruleset_ids: [idOf("ruleset", 1)],
    spot: true,
    evict_at: inTime(95),
  }),
  instance(3, "render-batch", {
    of: "demo",
    type: "gpu_2x_a6000",
    on: "us-west-1-a6000-01",
    status: "booting",
    progress: "Waiting for its SSH server",
    created_at: ago(48),
    ip: null,
    ...behind,
  }),
  instance(4, "finetune-llama", {
    of: "demo",
    type: "gpu_1x_h100_pcie",
    on: "us-west-1-h100-01",
    active: 30 * hour,
    metrics: true,
    coupon: { code: "H100WEEK", discount_percent: 12.5 },
  }),
  instance(5, "staging", {
    of: "demo",
    type: "gpu_1x_a6000",
    on: "us-east-1-a6000-02",
    status: "stopped",
    active: 9 * day,
  }),
  instance(6, "build-runner", { of: "demo", type: "cpu_8x_general", on: "eu-central-1-cpu-01", active: 20 * minute }),
  instance(7, "protein-fold-a", {
    of: "Northwind Research",
    type: "gpu_8x_a100_80gb_sxm4",
    on: "us-east-1-a100-sxm4-01",
    active: 11 * day,
  }),
  instance(8, "protein-fold-b", {
    of: "Northwind Research",
    type: "gpu_8x_a100_80gb_sxm4",
    on: "us-west-1-a100-sxm4-01",
    active: 11 * day,
    health: "unreachable",
  }),
  instance(9, "sweep-01", {
    of: "Northwind Research",
    type: "gpu_8x_h100_sxm5",
    on: "us-west-1-h100-sxm5-01",
    active: 7 * hour,
  }),
  instance(10, "sweep-02", {
    of: "Northwind Research",
    type: "gpu_8x_h100_sxm5",
    on: "us-west-1-h100-sxm5-02",
    status: "booting",
    progress: "Being made; the engine did not answer",
    created_at: ago(11 * minute),
    ip: null,
    ...behind,
    attempts: 4,
    next_look_at: inTime(20),
    trouble: { kind: "tried-again", reason: "Being made; the engine did not answer", since: ago(11 * minute) },
  }),
  instance(11, "inference-eu-1", {
    of: "tensor-marketplace",
    type: "gpu_1x_h100_pcie",
    on: "eu-central-1-h100-01",
    active: 3 * day,
  }),
  instance(12, "inference-eu-2", {
    of: "tensor-marketplace",
    type: "gpu_1x_h100_pcie",
    on: "eu-central-1-h100-01",
    gpu: 1,
    active: 3 * day,
  }),
  instance(13, "customer-4417", {
    of: "tensor-marketplace",
    type: "gpu_1x_a6000",
    on: "eu-central-1-a6000-01",
    status: "terminating",
    active: 4 * hour,
    ended_by: "customer",
    terminating_at: ago(15),
    ...behind,
  }),
  instance(14, "customer-4390", {
    of: "tensor-marketplace",
    type: "gpu_1x_a10",
    on: "eu-central-1-a10-01",
    status: "terminated",
    ended_by: "failure",
    failure: { code: "boot-deadline", message: "It did not come up within 20 minutes." },
    created_at: ago(50 * minute),
    terminating_at: ago(30 * minute),
    terminated_at: ago(29 * minute),
    ip: null,
  }),
];

function instance(number: number, name: string, { of, type, on, active, gpu = 0, ...more }: Given): Instance {
  const { spot = false } = more;
  const offered = typeNamed(type);
  const price = (spot ? offered.spot_price_cents_per_hour : null) ?? offered.price_cents_per_hour;
  const product = { ...offered, price_cents_per_hour: price };
  const account = accounts.find((one) => one.name === of);
  const region = regions.find((one) => on.startsWith(one.name));
  const image = images.find((one) => one.default);
  if (account === undefined || region === undefined || image === undefined)
    throw new Error(`BUG: nothing fits ${name}`);
  return {
    id: idOf("instance", number),
    account_id: account.id,
    name,
    hostname: name,
    status: "active",
    health: "ok",
    progress: null,
    failure: null,
    ip: `203.0.113.${10 + number}`,
    region,
    instance_type: product,
    coupon: null,
    image: { name: image.name, number: image.number, description: image.description },
    login_user: image.login_user,
    login: "ssh_key",
    simulated: false,
    ssh_key_names: ["laptop"],
    file_system_names: [],
    file_system_mounts: [],
    tags: [],
    firewall_ruleset_ids: [],
    has_env_vars: false,
    metrics: false,
    has_user_data: false,
    firewall_pending: false,
    token_id: idOf("token", 1),
    spot,
    evict_at: null,
    max_lifetime_seconds: null,
    idle_rule: null,
    reservation_id: null,
    expires_at: null,
    ended_by: null,
    ...costOf(Math.round(((active ?? 0) / hour) * product.price_cents_per_hour)),
    downtime_seconds: 0,
    credit_micro_cents: "0",
    availability_percent: active === undefined ? null : 100,
    maintenance: null,
    created_at: ago((active ?? 0) + 42),
    active_at: active === undefined ? null : ago(active),
    terminating_at: null,
    terminated_at: null,
    engine: "simulated",
    host: on,
    gpu_addresses: Array.from({ length: product.gpus }, (_, index) => gpuAddress(gpu + index)),
    generation: 1,
    fulfilled_generation: 1,
    attempts: 0,
    next_look_at: null,
    trouble: null,
    ...more,
  };
}
