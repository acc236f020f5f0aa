// `lessor show`: all details of one instance; for tokens with the scope `write`, also its password.

import type { Command } from "commander";
import { finalState } from "../../rules/lifecycle.ts";
import { modeTraits } from "../../rules/maintenance.ts";
import { idleRuleText } from "../idle-rule.ts";
import { type Instance, instanceOf, priceOf, readInstance, statusText } from "../instances.ts";
import { loginCommand, noLoginReason } from "../launch/login-way.ts";
import { moveText } from "../move-text.ts";
import { printFacts } from "../output/table.ts";
import { ago, cost, count, duration, moment, perHour } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";
import { shellWord } from "../shell-word.ts";
import { tagText } from "../tags.ts";

/** Null: none. */
const creditText = ({ credit_micro_cents: credit }: Instance) =>
  credit === "0" ? null : cost(String(Number(credit) / 1e6));

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<instance>", "its name, its id, or the beginning of either")
    .action(async (word: string, { json }: { json: boolean }) => {
      const client = shell.client();
      // A list has no passwords.
      const instance = await readInstance(client, (await instanceOf(client, word)).id);
      if (json) return printJson(shell, instance);
      printFacts(shell.out, factsOf(instance));
    });
  examples(command, {
    "lessor show training": "its status, address, password and cost",
    "lessor show training --json | jq -r .ip": "its address, for a program",
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
    ["Log in", loginText(one)],
    ["Password", passwordText(one)],
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
    ["Tags", one.tags.map(tagText).join(", ")],
    ["Price", `${perHour(priceOf(one))}${discount}`],
    ["Spot", one.spot ? "yes: evicted after a notice when others need what it holds" : null],
    ["Evicted", one.evict_at === null ? null : at(one.evict_at)],
    ["Cost so far", cost(one.cost_cents)],
    [
      "Downtime",
      one.downtime_seconds === 0
        ? null
        : `${duration(one.downtime_seconds)}: its host was unreachable or in maintenance`,
    ],
    ["Credit", creditText(one)],
    ["Availability", one.availability_percent === null ? null : `${one.availability_percent} %`],
    ["Launched", at(one.created_at)],
    ["Active since", at(one.active_at)],
    ["Idle rule", idleRuleText(one.idle_rule)],
    ["Lifetime", one.max_lifetime_seconds === null ? null : duration(one.max_lifetime_seconds)],
    ["Ends", at(one.expires_at)],
    ["Reservation", one.reservation_id],
    ["Maintenance", maintenanceText(one)],
    ["Terminated", at(one.terminated_at ?? one.terminating_at)],
    ["Host", one.host === undefined ? null : `${one.host} (engine ${one.engine})`],
    ["Move", one.move ? moveText(one.move) : null],
    ["GPUs", one.gpu_addresses?.join(", ") ?? null],
  ];
}

function loginText(one: Instance): string | null {
  const why = noLoginReason(one);
  if (why !== undefined && one.status !== finalState) return `not possible. ${why}`;
  return loginCommand(one) ?? null;
}

function maintenanceText({ maintenance, name, host }: Instance): string | null {
  if (maintenance === null) return null;
  const { from, to, reason, mode, phase, deferrable_until: until } = maintenance;
  const what = modeTraits[mode].stopsInstances ? "it stops" : "it keeps running";
  // Operators, who see the host, change it instead.
  const isDeferrable = phase === "scheduled" && until !== null && host === undefined;
  const how = isDeferrable ? `; to defer it: lessor maintenance defer ${shellWord(name)}` : "";
  return `${moment(from)} to ${moment(to)} UTC: ${reason} (${what})${how}`;
}

function passwordText({ login, password }: Instance): string | null {
  if (login !== "password") return null;
  return password === undefined ? "shown to tokens of its account with the scope write" : password;
}

function hardware(type: Instance["instance_type"]): string {
  const gpus = type.gpus === 0 ? [] : [`${type.gpus} x ${type.gpu_description}`];
  return [
    ...gpus,
    `${count(type.vcpus)} vCPUs`,
    `${count(type.memory_gib)} GiB`,
    `${count(type.storage_gb)} GB disk`,
  ].join(", ");
}

function at(iso: string | null): string | null {
  return iso === null ? null : `${moment(iso)} UTC (${ago(iso)})`;
}
