// Control interface: NVSwitch partitions of hosts, for operators. What they are: rental/gpus/partitions.

import { Type } from "typebox";
import { type GpuPartition, listPartitions, partitionKey } from "../../../rental/gpus/partitions/partition-list.ts";
import { partitionMeanings, partitionStates } from "../../../rules/gpu-partitions.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { type Key, pageQuery } from "../../api/paging.ts";
import { sample } from "../../api/schema.ts";
import * as field from "../fields.ts";

const partitionState = () =>
  Type.Enum(partitionStates, {
    title: "GpuPartitionState",
    description: partitionStates.map((state) => `\`${state}\`: ${partitionMeanings[state]}`).join(" "),
  });

const PartitionQuery = Type.Object({
  ...pageQuery,
  state: Type.Optional(partitionState()),
  host: Type.Optional(Type.String({ ...limit.name, description: "Only partitions of the host of this name." })),
});

const ShownPartition = Type.Object(
  {
    host: field.name("us-east-1-h100-01"),
    id: Type.String({ description: "The fabric manager's own, unique on its host." }),
    gpus: Type.Array(Type.String(), { description: "Addresses of its GPUs, in order." }),
    state: partitionState(),
    held_by: field.orNull(field.uuid(), "The instance that has exactly its GPUs."),
    failures: Type.Integer({ description: "How often its activation or deactivation failed, since its state is so." }),
    fabric_manager: field.orNull(Type.String(), "The version of the fabric manager of its host."),
    driver_branch: field.orNull(Type.String(), "The driver branch of that version; null: not known."),
  },
  { title: "GpuPartition" },
);

const byPartition: Key<GpuPartition> = {
  of: partitionKey,
  accepts: (text) => /^[^ ]+ [1-9][0-9]{0,3} .+$/.test(text) && text.isWellFormed() && !text.includes("\0"),
};

export function gpuPartitionRoutes(api: Api): void {
  api.get(
    "/gpu-partitions",
    {
      id: "listGpuPartitions",
      tag: "GPUs",
      summary: "List NVSwitch partitions",
      description:
        "The partitions of all hosts whose GPU helper reports some, by host, the largest first: their GPUs, and which " +
        "instance has them. Instances on such hosts get the GPUs of exactly one partition.",
      scope: "operator",
      query: PartitionQuery,
      answer: field.many(ShownPartition),
      example: { answer: { data: [partition(example)] } },
    },
    async ({ db, query: { state, host }, page }) => ({
      data: (await page(byPartition, (part) => listPartitions(db, part, { state, host }))).map(partition),
    }),
  );
}

const example: GpuPartition = {
  ...{ host: "us-east-1-h100-01", id: "5", addresses: ["0000:17:00.0", "0000:ca:00.0"], state: "active" },
  ...{ instanceId: sample.id, failures: 0, fabricManager: "570.124.06", driverBranch: "570" },
};

function partition(one: GpuPartition) {
  return {
    host: one.host,
    id: one.id,
    gpus: [...one.addresses],
    state: one.state,
    held_by: one.instanceId,
    failures: one.failures,
    fabric_manager: one.fabricManager,
    driver_branch: one.driverBranch,
  };
}
