// `lessor show`: everything about one machine.

import type { Command } from "commander";
import { type Instance, instanceOf, priceOf, statusText } from "../instances.ts";
import { printFacts } from "../output/table.ts";
import { ago, cost, duration, moment, perHour } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<machine>", "its name, its id, or the beginning of either")
    .action(async (word: string, { json }: { json: boolean }) => {
      const instance = await instanceOf(shell.client(), word);
      if (json) return printJson(shell, instance);
      printFacts(shell.out, factsOf(instance));
    });
  examples(command, {
    "lessor show training": "its state, address and cost",
    "lessor show training --json | jq -r .ip": "its address alone",
  });
}

function factsOf(one: Instance): (readonly [string, string | null])[] {
  const { instance_type: type, coupon, failure } = one;
  const listPrice = perHour(type.price_cents_per_hour);
  const discount =
    coupon === null ? "" : `, instead of ${listPrice}: ${coupon.discount_percent} % off with ${coupon.code}`;
  return [
    ["Name", one.name],
    ["Id", one.id],
    ["Status", statusText(one)],
    ["Failure", failure === null ? null : `${failure.message} (${failure.code})`],
    ["Ended by", one.ended_by],
    ["Address", one.ip],
    [
      "Log in",
      one.ip === null || one.status === "terminated" ? null : `lessor ssh ${one.name}   (${one.login_user}@${one.ip})`,
    ],
    ["Host name", one.hostname],
    ["Region", `${one.region.name} (${one.region.description})`],
    ["Type", `${type.name} (${type.description})`],
    ["Hardware", hardware(type)],
    ["Image", one.image.name],
    ["SSH keys", one.ssh_key_names.join(", ")],
    [
      "File systems",
      one.file_system_mounts.map(({ mount_point }) => mount_point).join(", ") || one.file_system_names.join(", "),
    ],
    ["Tags", one.tags.map(({ key, value }) => `${key}=${value}`).join(", ")],
    ["Price", `${perHour(priceOf(one))}${discount}`],
    ["Cost so far", cost(one.cost_cents)],
    ["Launched", at(one.created_at)],
    ["Active since", at(one.active_at)],
    ["Lifetime", one.max_lifetime_seconds === null ? null : duration(one.max_lifetime_seconds)],
    ["Ends", at(one.expires_at)],
    ["Terminated", at(one.terminated_at ?? one.terminating_at)],
    ["Host", one.host === undefined ? null : `${one.host} (engine ${one.engine})`],
    ["GPUs", one.gpu_addresses?.join(", ") ?? null],
  ];
}

function hardware(type: Instance["instance_type"]): string {
  const gpus = type.gpus === 0 ? [] : [`${type.gpus} x ${type.gpu_description}`];
  return [...gpus, `${type.vcpus} vCPUs`, `${type.memory_gib} GiB`, `${type.storage_gb} GB disk`].join(", ");
}

function at(iso: string | null): string | null {
  return iso === null ? null : `${moment(iso)} UTC (${ago(iso)})`;
}
