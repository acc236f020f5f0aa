// `lessor hosts`, for operators: list and show hosts, and decide about one or many of them.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { gpuStates, gpuTraits } from "../../rules/gpu-lifecycle.ts";
import {
  type HealthSeverity,
  healthCodes,
  healthSeverities,
  isHealthSeverity,
  worstSeverity,
} from "../../rules/host-health.ts";
import {
  type HostDecision,
  type HostState,
  hostStateNamed,
  hostStates,
  hostTraits,
  lostMode,
} from "../../rules/host-lifecycle.ts";
import { type DrainMode, drainModeMeanings, drainModes } from "../../rules/moves.ts";
import { CommandError, usageError } from "../command-error.ts";
import type { ControlClient } from "../connection/control-client.ts";
import { declareLost, type LossOptions, refuseEmptyReason } from "../declare-lost.ts";
import { chosen, listHint } from "../names.ts";
import { oneByOne } from "../one-by-one.ts";
import type { Colour } from "../output/screen.ts";
import { type Column, printFacts, printTable } from "../output/table.ts";
import { collect, examples, printJson, type Shell, withJson } from "../shell.ts";
import { shellWord } from "../shell-word.ts";
import { tagFrom, tagText } from "../tags.ts";

type Host = Shape<"Host">;

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list hosts with their free GPUs"))
    .option("--region <region>", "only those in a region")
    .option("--selector <labels>", "only those with these labels: key=value or key, separated by commas")
    .option("--state <state>", `only those in a state: ${hostStates.join(", ")}`)
    .option("--health <severity>", `only those with a finding of this severity: ${healthSeverities.join(", ")}`)
    .action(async ({ region, state, selector, health, json }: Listed) => {
      const meant = state === undefined ? undefined : stateNamed(state);
      const severity = health === undefined ? undefined : severityNamed(health);
      const listed = await hostsOf(shell, selector, severity);
      const hosts = listed.filter(
        (one) =>
          (region === undefined || one.region === region) &&
          (meant === undefined || hostStateNamed(one.state) === meant),
      );
      if (json) return printJson(shell, hosts);
      printTable(shell.out, hosts, columns, "No hosts.");
    });
  examples(list, {
    "lessor hosts list --region us-east-1": "hosts of one region",
    "lessor hosts list --selector rack=r12": "hosts of one rack",
    "lessor hosts list --state unreachable": "hosts that their engines cannot reach",
    "lessor hosts list --health critical": "hosts with critical findings",
  });

  const show = withJson(command.command("show").description("show a host, GPU by GPU"))
    .argument("<host>", "its name, or the beginning of it")
    .action(async (word: string, { json }: { json: boolean }) => {
      const host = hostNamed(await hostsOf(shell), word);
      if (json) return printJson(shell, host);
      printFacts(shell.out, factsOf(host));
      if (host.health.length > 0) shell.out.line("");
      if (host.health.length > 0) printTable(shell.out, host.health, healthColumns, "");
      if (host.gpus.length > 0) shell.out.line("");
      if (host.gpus.length > 0) printTable(shell.out, host.gpus, gpuColumns, "");
    });
  examples(show, { "lessor hosts show us-east-1-a10-01": "with the instance on each GPU" });

  const cordon = decision(command, shell, "cordon", "cordon hosts; existing instances keep running");
  examples(cordon, {
    "lessor hosts cordon us-east-1-a10-01": "before maintenance",
    "lessor hosts cordon --selector rack=r12 --reason 'Switch is exchanged'": "a whole rack",
  });
  const uncordon = decision(command, shell, "uncordon", "uncordon hosts");
  examples(uncordon, { "lessor hosts uncordon us-east-1-a10-01": "after maintenance" });
  const drain = decision(
    command,
    shell,
    "drain",
    "cordon hosts to empty them; show how many instances are left",
  ).option("--mode <mode>", `wait (default): ${drainModeMeanings.wait}; move: ${drainModeMeanings.move}`);
  examples(drain, {
    "lessor hosts drain us-east-1-a10-01 --reason 'PSU 2 is exchanged'": "before a repair",
    "lessor hosts drain us-east-1-a10-01 --mode move": "move its stopped instances to other hosts",
  });

  const lost = withJson(command.command("declare-lost").description("end what is on a host that is gone for good"))
    .argument("<host>", "its name, or the beginning of it")
    .requiredOption("--reason <reason>", "the reason, for other operators")
    .option("--confirmation <confirmation>", "confirm what an earlier call has shown")
    .action(async (word: string, options: LossOptions) => {
      await declareLost(shell, hostNamed(await hostsOf(shell), word).name, options);
    });
  examples(lost, {
    "lessor hosts declare-lost us-east-1-a10-01 --reason 'Written off'": "show what would end, and ask",
  });

  const fence = onHosts(command.command("fence").description("turn off hosts that their engines cannot reach"))
    .option("--reason <reason>", "the reason, for the audit log")
    .action(async (words: string[], options: Selected & { readonly reason?: string }) => {
      const body: Body = options.reason === undefined ? {} : { body: { reason: options.reason } };
      const ask = async (client: ControlClient, name: string) => {
        const request = { params: { path: { name } }, ...body };
        return (await client.ask((api) => api.POST("/hosts/{name}/fence", request))).data;
      };
      await changeEach(shell, words, options, ask, fencedColumns);
    });
  examples(fence, { "lessor hosts fence us-east-1-a10-01": "make sure that nothing runs on it" });

  const change = onHosts(command.command("change").description("change the note and labels of hosts"))
    .option("--note <note>", "set the note; an empty one removes it")
    .option("--label <key=value>", "set a label; may be repeated", collect, [])
    .option("--remove-label <key>", "remove a label; may be repeated", collect, [])
    .action((words: string[], options: Selected & Changes) => changeHosts(shell, words, options));
  examples(change, {
    "lessor hosts change us-east-1-a10-01 --label rack=r12": "label a host",
    "lessor hosts change --selector rack=r12 --note 'Fans replaced'": "write a note on all hosts of a rack",
  });
}

interface Listed extends Selected {
  readonly region?: string;
  readonly state?: string;
  readonly health?: string;
}

/** Which hosts, and how they are shown. */
interface Selected {
  readonly selector?: string;
  readonly json: boolean;
}

interface Changes {
  readonly note?: string;
  readonly label: readonly string[];
  readonly removeLabel: readonly string[];
}

function onHosts(command: Command): Command {
  return withJson(command)
    .argument("[hosts...]", "names, or the beginnings of names")
    .option("--selector <labels>", "all hosts with these labels: key=value or key, separated by commas");
}

function decision(command: Command, shell: Shell, action: HostDecision, what: string): Command {
  return onHosts(command.command(action).description(what))
    .option("--reason <reason>", "the reason, for other operators")
    .action(async (words: string[], options: Selected & { readonly reason?: string; readonly mode?: string }) => {
      const { reason, mode } = options;
      refuseEmptyReason(reason);
      const stated = {
        ...(reason !== undefined && { reason }),
        ...(mode !== undefined && { mode: drainModeNamed(mode) }),
      };
      const body: Body = Object.keys(stated).length === 0 ? {} : { body: stated };
      const ask = async (client: ControlClient, name: string) => (await decide[action](client, name, body)).data;
      const changed = await changeEach(shell, words, options, ask);
      const which = options.selector === undefined ? words.join(" ") : `--selector ${shellWord(options.selector)}`;
      if (!options.json && changed > 0 && action !== "uncordon")
        shell.out.line(`To undo: lessor hosts uncordon ${which}`);
    });
}

type Body = { readonly body?: { readonly reason?: string; readonly mode?: DrainMode } };

function drainModeNamed(word: string): DrainMode {
  const mode = drainModes.find((known) => known === word);
  if (mode === undefined) throw usageError(`There is no drain mode "${word}".`, `Use one of ${drainModes.join(", ")}.`);
  return mode;
}

const decide = {
  cordon: (client: ControlClient, name: string, body: Body) =>
    client.ask((api) => api.POST("/hosts/{name}/cordon", { params: { path: { name } }, ...body })),
  uncordon: (client: ControlClient, name: string, body: Body) =>
    client.ask((api) => api.POST("/hosts/{name}/uncordon", { params: { path: { name } }, ...body })),
  drain: (client: ControlClient, name: string, body: Body) =>
    client.ask((api) => api.POST("/hosts/{name}/drain", { params: { path: { name } }, ...body })),
} as const satisfies Record<HostDecision, unknown>;

async function changeHosts(shell: Shell, words: string[], options: Selected & Changes): Promise<void> {
  const { note, label, removeLabel } = options;
  const labels = Object.fromEntries([
    ...label.map(tagFrom).map(({ key, value }) => [key, value]),
    ...removeLabel.map((key) => [key, null]),
  ]) as Record<string, string | null>; // what fromEntries forgets
  const body = { ...(note !== undefined && { note }), ...(Object.keys(labels).length > 0 && { labels }) };
  if (Object.keys(body).length === 0) throw usageError("Nothing to change.", "Use --note, --label or --remove-label.");
  await changeEach(shell, words, options, async (client, name) => {
    const request = { params: { path: { name } }, body };
    return (await client.ask((api) => api.PATCH("/hosts/{name}", request))).data;
  });
}

/**
 * Changes the hosts one after the other, and shows those that were. Returns how many. Throws CommandError: none are
 * meant, none has the labels, or one was rejected.
 */
async function changeEach(
  shell: Shell,
  words: readonly string[],
  { selector, json }: Selected,
  ask: (client: ControlClient, name: string) => Promise<Host>,
  shown: readonly Column<Host>[] = changedColumns,
): Promise<number> {
  if ((words.length === 0) === (selector === undefined))
    throw usageError("Which hosts?", "Give their names, or --selector with labels.");
  const known = await hostsOf(shell, selector);
  const meant = selector === undefined ? words.map((word) => hostNamed(known, word)) : known;
  if (meant.length === 0)
    throw new CommandError(`No host has the labels ${selector}.`, listHint("lessor hosts list"), { exit: "not-found" });
  const client = shell.client();
  const { accepted, throwRejected } = await oneByOne("hosts", meant, ({ name }) => ask(client, name));
  const [first] = accepted;
  if (json) printJson(shell, words.length === 1 && first !== undefined ? first : accepted);
  else if (accepted.length > 0) printTable(shell.out, accepted, shown, "");
  throwRejected();
  return accepted.length;
}

async function hostsOf(shell: Shell, selector?: string, health?: HealthSeverity): Promise<Host[]> {
  const query = { ...(selector !== undefined && { selector }), ...(health !== undefined && { health }) };
  return (await shell.client().ask((api) => api.GET("/hosts", { params: { query } }))).data;
}

/** Throws CommandError. */
function severityNamed(word: string): HealthSeverity {
  if (isHealthSeverity(word)) return word;
  throw usageError(`There is no severity "${word}".`, `Use one of ${healthSeverities.join(", ")}.`);
}

/** Throws CommandError. */
function stateNamed(word: string): HostState {
  const state = hostStateNamed(word);
  if (state !== undefined) return state;
  throw usageError(`There is no state "${word}".`, `Use one of ${hostStates.join(", ")}.`);
}

function hostNamed(hosts: readonly Host[], word: string): Host {
  return chosen({
    word,
    what: "host",
    groups: [hosts],
    names: [(one) => one.name],
    parts: [(one) => one.name.startsWith(word)],
    show: ({ name, region }) => `${name} (${region})`,
    list: "lessor hosts list",
  });
}

function stateColour({ state: word }: Host): Colour {
  const state = hostStateNamed(word);
  if (state === undefined) return "red";
  if (hostTraits[state].acceptsInstances) return "green";
  return hostTraits[state].isDecided ? "yellow" : "red";
}

function gpusFree({ gpus, mode }: Host): string | null {
  if (gpus.length === 0 || mode === lostMode) return null;
  const free = gpus.filter(({ state, healthy }) => isOfferedGpu(state) && healthy).length;
  const models = [...new Set(gpus.map(({ model }) => model))].join(", ");
  return `${free}/${gpus.length} ${models}`;
}

/** What is free of it; of a lost host nothing is there. */
function amount({ mode }: Host, free: number, all: number): string | null {
  return mode === lostMode ? null : `${free}/${all}`;
}

const columns: readonly Column<Host>[] = [
  { title: "HOST", of: ({ name }) => name, colour: () => "bold" },
  { title: "STATE", of: ({ state }) => state, colour: stateColour },
  { title: "REGION", of: ({ region }) => region, spare: 2 },
  { title: "GPUS FREE", of: gpusFree },
  { title: "HEALTH", of: ({ health }) => worstSeverity(health) ?? "ok", colour: ({ health }) => healthColour(health) },
  { title: "VCPUS", of: (one) => amount(one, one.free_vcpus, one.vcpus), align: "right", spare: 3 },
  { title: "GIB", of: (one) => amount(one, one.free_memory_gib, one.memory_gib), align: "right", spare: 4 },
  { title: "DISK GB", of: (one) => amount(one, one.free_storage_gb, one.storage_gb), align: "right", spare: 5 },
  { title: "ENGINE", of: ({ engine }) => engine, spare: 6 },
];

const changedColumns: readonly Column<Host>[] = [
  { title: "HOST", of: ({ name }) => name, colour: () => "bold" },
  { title: "STATE", of: ({ state }) => state, colour: stateColour },
  { title: "INSTANCES", of: ({ instances }) => instances, align: "right" },
  { title: "REASON", of: ({ state_reason: reason }) => reason, spare: 2 },
  { title: "LABELS", of: labelText, spare: 3 },
  { title: "NOTE", of: ({ note }) => note, spare: 4 },
];

const fencedColumns: readonly Column<Host>[] = [
  ...changedColumns.slice(0, 3),
  { title: "VERIFIED OFF", of: ({ verified_off_since: since }) => since },
];

function labelText({ labels }: Host): string {
  return Object.entries(labels)
    .map(([key, value]) => tagText({ key, value }))
    .join(" ");
}

function factsOf(host: Host): (readonly [string, string | number | null])[] {
  return [
    ["Host", host.name],
    ["State", host.mode === host.state ? host.state : `${host.state} (${host.mode} when it is back)`],
    ["Since", host.state_since],
    ["Last reached", host.unreachable_since],
    ["Verified off", host.verified_off_since],
    ["Reason", host.state_reason],
    ["Emptied by", host.drain_mode === null ? null : drainModeMeanings[host.drain_mode]],
    ["Decided by", host.mode === host.state ? host.mode_set_by : null],
    ["Note", host.note === "" ? null : host.note],
    ["Labels", labelText(host) || null],
    ["Instances", host.instances],
    ["Health", host.health.length === 0 ? "no findings" : (worstSeverity(host.health) ?? null)],
    ["Availability", host.availability_percent === null ? null : `${host.availability_percent} % in 30 days`],
    ["Region", host.region],
    ["Engine", host.engine],
    ["vCPUs", sizeText(host, host.free_vcpus, `${host.vcpus}`)],
    ["Memory", sizeText(host, host.free_memory_gib, `${host.memory_gib} GiB`)],
    ["Disk", sizeText(host, host.free_storage_gb, `${host.storage_gb} GB`)],
    ["Sizes", host.overridden === null ? "as discovered by its engine" : "overridden by you"],
  ];
}

function sizeText({ mode }: Host, free: number, all: string): string {
  return mode === lostMode ? all : `${free} of ${all} free`;
}

const healthColumns: readonly Column<Host["health"][number]>[] = [
  { title: "FINDING", of: ({ code }) => code, colour: (one) => healthColour([one]) },
  { title: "SEVERITY", of: ({ severity }) => severity },
  { title: "SINCE", of: ({ since }) => since, spare: 2 },
  { title: "MESSAGE", of: ({ message }) => message },
  { title: "REMEDY", of: ({ code }) => healthCodes[code].remedy, spare: 3 },
];

function healthColour(health: Host["health"]): Colour {
  const severity = worstSeverity(health);
  if (severity === undefined) return "green";
  return severity === "critical" ? "red" : "yellow";
}

const gpuColumns: readonly Column<Host["gpus"][number]>[] = [
  { title: "GPU", of: ({ address }) => address },
  { title: "MODEL", of: ({ model }) => model },
  { title: "STATE", of: gpuState, colour: gpuColour },
  { title: "INSTANCE", of: ({ held_by }) => held_by },
];

function gpuColour({ healthy, state, held_by }: Host["gpus"][number]): Colour {
  if (held_by !== null && healthy) return "dim";
  return healthy && isOfferedGpu(state) ? "green" : "red";
}

function gpuState({ healthy, state, holder_status }: Host["gpus"][number]): string {
  return healthy ? (holder_status ?? state) : `${state}, unhealthy`;
}

function isOfferedGpu(word: string): boolean {
  return gpuStates.some((state) => state === word && gpuTraits[state].isOffered);
}
