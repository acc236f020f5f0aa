// `lessor hosts`, for operators: list, show, cordon, uncordon.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { chosen } from "../names.ts";
import type { Colour } from "../output/screen.ts";
import { type Column, printFacts, printTable } from "../output/table.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Host = Shape<"Host">;

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list hosts with their free GPUs"))
    .option("--region <region>", "only those in a region")
    .action(async ({ region, json }: { region?: string; json: boolean }) => {
      const hosts = (await hostsOf(shell)).filter((one) => region === undefined || one.region === region);
      if (json) return printJson(shell, hosts);
      printTable(shell.out, hosts, columns, "No hosts.");
    });
  examples(list, { "lessor hosts list --region us-east-1": "hosts of one region" });

  const show = withJson(command.command("show").description("show a host, GPU by GPU"))
    .argument("<host>", "its name, or the beginning of it")
    .action(async (word: string, { json }: { json: boolean }) => {
      const host = await hostNamed(shell, word);
      if (json) return printJson(shell, host);
      printFacts(shell.out, factsOf(host));
      if (host.gpus.length > 0) shell.out.line("");
      if (host.gpus.length > 0) printTable(shell.out, host.gpus, gpuColumns, "");
    });
  examples(show, { "lessor hosts show us-east-1-a10-01": "with the instance on each GPU" });

  const cordon = withJson(command.command("cordon").description("cordon a host; existing instances keep running"))
    .argument("<host>", "its name, or the beginning of it")
    .action(async (word: string, { json }: { json: boolean }) => {
      const { name } = await hostNamed(shell, word);
      const { data } = await shell
        .client()
        .ask((api) => api.POST("/hosts/{name}/cordon", { params: { path: { name } } }));
      if (json) return printJson(shell, data);
      shell.out.line(`Cordoned host ${name}. To undo: lessor hosts uncordon ${name}`);
    });
  examples(cordon, { "lessor hosts cordon us-east-1-a10-01": "before maintenance" });

  const uncordon = withJson(command.command("uncordon").description("uncordon a host"))
    .argument("<host>", "its name, or the beginning of it")
    .action(async (word: string, { json }: { json: boolean }) => {
      const { name } = await hostNamed(shell, word);
      const { data } = await shell
        .client()
        .ask((api) => api.POST("/hosts/{name}/uncordon", { params: { path: { name } } }));
      if (json) return printJson(shell, data);
      shell.out.line(`Uncordoned host ${name}.`);
    });
  examples(uncordon, { "lessor hosts uncordon us-east-1-a10-01": "after maintenance" });
}

async function hostsOf(shell: Shell): Promise<Host[]> {
  return (await shell.client().ask((api) => api.GET("/hosts", { params: { query: {} } }))).data;
}

async function hostNamed(shell: Shell, word: string): Promise<Host> {
  return chosen({
    word,
    what: "host",
    groups: [await hostsOf(shell)],
    names: [(one) => one.name],
    parts: [(one) => one.name.startsWith(word)],
    show: ({ name, region }) => `${name} (${region})`,
    list: "lessor hosts list",
  });
}

function stateOf({ available, cordoned }: Host): string {
  if (!available) return cordoned ? "unreachable, cordoned" : "unreachable";
  return cordoned ? "cordoned" : "ready";
}

function stateColour(host: Host): Colour {
  if (!host.available) return "red";
  return host.cordoned ? "yellow" : "green";
}

function gpusFree({ gpus }: Host): string | null {
  if (gpus.length === 0) return null;
  const free = gpus.filter(({ held_by, healthy }) => held_by === null && healthy).length;
  const models = [...new Set(gpus.map(({ model }) => model))].join(", ");
  return `${free}/${gpus.length} ${models}`;
}

const columns: readonly Column<Host>[] = [
  { title: "HOST", of: ({ name }) => name, colour: () => "bold" },
  { title: "STATE", of: stateOf, colour: stateColour },
  { title: "REGION", of: ({ region }) => region, spare: 2 },
  { title: "GPUS FREE", of: gpusFree },
  { title: "VCPUS", of: (one) => `${one.free_vcpus}/${one.vcpus}`, align: "right", spare: 3 },
  { title: "GIB", of: (one) => `${one.free_memory_gib}/${one.memory_gib}`, align: "right", spare: 4 },
  { title: "DISK GB", of: (one) => `${one.free_storage_gb}/${one.storage_gb}`, align: "right", spare: 5 },
  { title: "ENGINE", of: ({ engine }) => engine, spare: 6 },
];

function factsOf(host: Host): [string, string][] {
  return [
    ["Host", host.name],
    ["State", stateOf(host)],
    ["Region", host.region],
    ["Engine", host.engine],
    ["vCPUs", `${host.free_vcpus} of ${host.vcpus} free`],
    ["Memory", `${host.free_memory_gib} of ${host.memory_gib} GiB free`],
    ["Disk", `${host.free_storage_gb} of ${host.storage_gb} GB free`],
    ["Sizes", host.overridden === null ? "as discovered by its engine" : "overridden by you"],
  ];
}

const gpuColumns: readonly Column<Host["gpus"][number]>[] = [
  { title: "GPU", of: ({ address }) => address },
  { title: "MODEL", of: ({ model }) => model },
  { title: "STATE", of: gpuState, colour: ({ healthy, held_by }) => (healthy ? (held_by ? "dim" : "green") : "red") },
  { title: "INSTANCE", of: ({ held_by }) => held_by },
];

function gpuState({ healthy, held_by, holder_status }: Host["gpus"][number]): string {
  if (!healthy) return "unhealthy";
  return held_by === null ? "free" : (holder_status ?? "held");
}
