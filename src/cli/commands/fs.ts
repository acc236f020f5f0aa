// `lessor fs`: lists, creates and deletes file systems.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { confirm } from "../ask.ts";
import { byIdOrName } from "../names.ts";
import { type Column, printTable } from "../output/table.ts";
import { age, wholeNumber } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type FileSystem = Shape<"FileSystem">;

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list your file systems")).action(
    async ({ json }: { json: boolean }) => {
      const systems = await fileSystemsOf(shell);
      if (json) return printJson(shell, systems);
      printTable(
        shell.out,
        systems,
        columnsWith(await instanceNames(shell, systems)),
        "No file systems. Create one: lessor fs create <name> --region <region>.",
      );
    },
  );
  examples(list, { "lessor fs list": "with attached instances" });

  const create = withJson(command.command("create").description("create a persistent file system"))
    .argument("<name>", "its name; mounted at /mnt/<name>")
    .requiredOption("--region <region>", "the region of its instances")
    .option("--size <gb>", "in GB", "100")
    .action(async (name: string, { region, size, json }: { region: string; size: string; json: boolean }) => {
      const body = { name, region, size_gb: wholeNumber("--size", 1)(size) };
      const { data } = await shell.client().ask((api) => api.POST("/file-systems", { body }));
      if (json) return printJson(shell, data);
      shell.out.line(
        `Created file system ${data.name} (${data.size_gb} GB in ${data.region}). To attach it: lessor launch <type> --fs ${data.name}`,
      );
    });
  examples(create, { "lessor fs create models --region us-east-1 --size 500": "500 GB for models" });

  const remove = command
    .command("delete")
    .alias("rm")
    .description("delete a file system with everything on it")
    .argument("<file-system>", "its name, its id, or the beginning of either")
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, { yes }: { yes: boolean }) => {
      const { id, name, size_gb } = await fileSystemNamed(shell, word);
      await confirm(shell, { what: `This deletes all data on ${name} (${size_gb} GB).`, yes });
      await shell.client().ask((api) => api.DELETE("/file-systems/{id}", { params: { path: { id } } }));
      shell.out.line(`Deleted file system ${name}.`);
    });
  examples(remove, { "lessor fs delete models": "asks for confirmation" });
}

/** Your file systems, oldest first. Throws CommandError. */
export async function fileSystemsOf(shell: Shell): Promise<FileSystem[]> {
  return (await shell.client().ask((api) => api.GET("/file-systems", { params: { query: {} } }))).data;
}

/** The one that a name or id refers to. Throws CommandError. */
export async function fileSystemNamed(shell: Shell, word: string): Promise<FileSystem> {
  return byIdOrName(word, await fileSystemsOf(shell), { what: "file system", list: "lessor fs list" });
}

/** The names of instances with a file system, by id. */
async function instanceNames(shell: Shell, systems: readonly FileSystem[]): Promise<ReadonlyMap<string, string>> {
  if (systems.every(({ instance_ids }) => instance_ids.length === 0)) return new Map();
  const { data } = await shell.client().ask((api) => api.GET("/instances", { params: { query: {} } }));
  return new Map(data.map(({ id, name }) => [id, name]));
}

/** Two names and the count of the rest; undefined for none. An unknown instance is shown by its id. */
export function attachedText(ids: readonly string[], names: ReadonlyMap<string, string>): string | undefined {
  if (ids.length === 0) return undefined;
  const shown = ids.slice(0, 2).map((id) => names.get(id) ?? id);
  const more = ids.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

const columnsWith = (names: ReadonlyMap<string, string>): readonly Column<FileSystem>[] => [
  { title: "NAME", of: ({ name }) => name, colour: () => "bold" },
  { title: "REGION", of: ({ region }) => region },
  { title: "SIZE", of: ({ size_gb }) => `${size_gb} GB`, align: "right" },
  {
    title: "USED",
    of: ({ bytes_used }) => (bytes_used === null ? null : `${(bytes_used / 1e9).toFixed(1)} GB`),
    align: "right",
    spare: 4,
  },
  {
    title: "ATTACHED TO",
    of: ({ instance_ids, lost_at, blocked }) => {
      if (lost_at !== null) return "nothing: lost with its host";
      return blocked ? "perhaps a lost host" : attachedText(instance_ids, names);
    },
    spare: 2,
  },
  { title: "AGE", of: ({ created_at }) => age(created_at), align: "right", spare: 3 },
  { title: "ID", of: ({ id }) => id, spare: 1 },
];
