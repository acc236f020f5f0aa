// The catalog of the benchmark's datasets: regions, models, instance types, and hosts of eight GPUs. A dataset is
// defined here and created by make-world.ts.

export interface HostGroup {
  readonly prefix: string;
  readonly count: number;
  readonly regions: readonly string[];
  readonly models: readonly string[];
}

export interface WorldSpec {
  readonly models: readonly string[];
  /** The GPU counts of a model's instance types, one type for each. */
  readonly sizes: readonly number[];
  readonly hosts: readonly HostGroup[];
  /** Customers, each with a token. */
  readonly accounts: number;
}

export const regions = ["ap-south-1", "eu-central-1", "us-east-1", "us-east-2", "us-west-1"];
const tenModels = Array.from({ length: 10 }, (_, i) => `model-${i}`);

/** The target of all launches of `hot`. */
export const hot = { model: "model-hot", region: "us-east-1" };

/** For reads and launches: the hot instance type has as many places in its region as all others everywhere. */
export const mainWorld: WorldSpec = {
  models: [...tenModels, hot.model],
  sizes: [1, 2, 4, 8],
  hosts: [
    { prefix: "spread", count: 400, regions, models: tenModels },
    { prefix: "hot", count: 400, regions: [hot.region], models: [hot.model] },
  ],
  accounts: 16,
};

/** Few enough GPUs that all are taken: 480 of three models in two regions. */
export const waitingWorld: WorldSpec = {
  models: tenModels.slice(0, 3),
  sizes: [1, 8],
  hosts: [{ prefix: "host", count: 60, regions: ["us-east-1", "us-west-1"], models: tenModels.slice(0, 3) }],
  accounts: 16,
};

/** A service on its first day. */
export const emptyWorld: WorldSpec = { models: [], sizes: [], hosts: [], accounts: 1 };

/** 60 instance types, whatever the number of hosts: a multiple of 50, so that every model is in every region. */
function worldOf(count: number): WorldSpec {
  return {
    models: tenModels,
    sizes: [1, 2, 3, 4, 6, 8],
    hosts: [{ prefix: "host", count, regions, models: tenModels }],
    accounts: 16,
  };
}

/** The small side of `scale` and `million`. */
export const smallWorld = worldOf(100);
export const mediumWorld = worldOf(1000);
/** 80,000 GPUs. */
export const largeWorld = worldOf(10_000);
/** 800,000 GPUs. */
export const hugeWorld = worldOf(100_000);

export const gpusPerHost = 8;
/** Capacity for eight machines with a GPU, and for ten without one beside them. */
export const hostSize = { vcpus: 256, memoryGib: 2048, storageGb: 40_000 };

/** Without a GPU: the idle instances of the large dataset, so that its GPUs are free to be launched. */
export const cpuProduct = { name: "cpu_8x", vcpus: 8, memoryGib: 32, storageGb: 256, priceCentsPerHour: 16 };

/** The bodies of `PUT /instance-types/{name}`, by name. */
export function productsOf({ models, sizes }: Pick<WorldSpec, "models" | "sizes">): Map<string, object> {
  const withGpus = models.flatMap((model) =>
    sizes.map((gpus) => {
      const body = {
        description: `${gpus}x ${model} (80 GB SXM5)`,
        gpu_model: model,
        gpu_description: `${model} (80 GB SXM5)`,
        gpus,
        vcpus: 16 * gpus,
        memory_gib: 128 * gpus,
        storage_gb: 2048 * gpus,
        price_cents_per_hour: 249 * gpus,
      };
      return [productName(model, gpus), body] as const;
    }),
  );
  const { name, vcpus, memoryGib, storageGb, priceCentsPerHour } = cpuProduct;
  const cpu = {
    description: "8 vCPUs, no GPU",
    gpu_model: null,
    gpu_description: "N/A",
    gpus: 0,
    vcpus,
    memory_gib: memoryGib,
    storage_gb: storageGb,
    price_cents_per_hour: priceCentsPerHour,
  };
  return new Map<string, object>([...withGpus, [name, cpu]]);
}

export function productName(model: string, gpus: number): string {
  return `gpu_${gpus}x_${model}`;
}
