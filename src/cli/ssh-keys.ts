// `lessor keys list`, `add`, `generate` and `remove`: SSH keys. Used by commands/keys.ts.
//
// Invariant: a generated private key is written only to a file that only its owner may read, or, on request, to
// standard output; if it cannot be stored, the SSH key is removed again, because it would be unusable.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Command } from "commander";
import type { Shape } from "../client/client.ts";
import { confirm } from "./ask.ts";
import { CommandError, usageError } from "./command-error.ts";
import { byIdOrName } from "./names.ts";
import { type Column, printTable } from "./output/table.ts";
import { age } from "./output/units.ts";
import { examples, homeOf, printJson, readInput, type Shell, withJson } from "./shell.ts";

type SshKey = Shape<"SshKey">;

export function defineSshKeys(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list your SSH keys")).action(
    async ({ json }: { json: boolean }) => {
      const keys = await keysOf(shell);
      if (json) return printJson(shell, keys);
      printTable(shell.out, keys, columns, "No SSH keys. Add one: lessor keys add.");
    },
  );
  examples(list, { "lessor keys list": "names for launch --key" });

  const add = withJson(command.command("add").description("add an SSH public key"))
    .argument("[file]", "the public key; - reads standard input (default: ~/.ssh/id_ed25519.pub, or id_rsa.pub)")
    .option("--name <name>", "its name (default: the key's comment or the file name)")
    .action((file: string | undefined, options: { name?: string; json: boolean }) => addKey(shell, file, options));
  examples(add, {
    "lessor keys add": "the key that ssh uses by default",
    "lessor keys add ~/.ssh/work.pub --name work": "another one",
  });

  const generate = withJson(
    command.command("generate").description("generate a key pair and show the private key once"),
  )
    .argument("<name>", "its name")
    .option("-o, --output <file>", "the file for the private key; - is standard output (default: ~/.ssh/<name>)")
    .action((name: string, options: { output?: string; json: boolean }) => generateKey(shell, name, options));
  examples(generate, { "lessor keys generate laptop": "then lessor ssh training -i ~/.ssh/laptop" });

  const remove = command
    .command("remove")
    .alias("rm")
    .description("remove an SSH key; existing instances keep it")
    .argument("<ssh-key>", "its name, its id, or the beginning of either")
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, { yes }: { yes: boolean }) => {
      const { id, name } = byIdOrName(word, await keysOf(shell), { what: "SSH key", list: "lessor keys list" });
      await confirm(shell, { what: `This removes the SSH key ${name}.`, yes });
      await shell.client().ask((api) => api.DELETE("/ssh-keys/{id}", { params: { path: { id } } }));
      shell.out.line(`Removed SSH key ${name}.`);
    });
  examples(remove, { "lessor keys remove laptop": "asks for confirmation" });
}

async function keysOf(shell: Shell): Promise<SshKey[]> {
  return (await shell.client().ask((api) => api.GET("/ssh-keys", { params: { query: {} } }))).data;
}

async function addKey(
  shell: Shell,
  file: string | undefined,
  options: { name?: string; json: boolean },
): Promise<void> {
  const path = file ?? usualKey(shell);
  const text = (path === "-" ? await readInput(shell) : textOf(path)).trim();
  if (text.includes("PRIVATE KEY")) {
    throw usageError(`${path} is a private key. Never share it.`, `Use the public key: ${path}.pub.`);
  }
  const comment = text.split(/\s+/).slice(2).join(" ");
  const name = options.name ?? (comment || basename(path).replace(/\.pub$/, ""));
  const body = { name, public_key: text };
  const { data } = await shell.client().ask((api) => api.POST("/ssh-keys", { body }));
  if (options.json) return printJson(shell, data);
  shell.out.line(`Added SSH key ${data.name}. To use it: lessor launch <type> --key ${JSON.stringify(data.name)}`);
}

async function generateKey(shell: Shell, name: string, { output, json }: { output?: string; json: boolean }) {
  const path = output ?? (json ? "-" : join(homeOf(shell), ".ssh", name));
  if (path !== "-" && existsSync(path))
    throw usageError(`${path} already exists.`, "Choose another file with --output.");
  const { data } = await shell.client().ask((api) => api.POST("/ssh-keys", { body: { name } }));
  const privateKey = data.private_key;
  if (privateKey === undefined || privateKey === null) throw new Error("BUG: a generated key without its private part");
  if (json) return printJson(shell, data);
  if (path === "-") return shell.out.write(privateKey);
  try {
    writeFileSync(path, privateKey, { mode: 0o600, flag: "wx" });
    writeFileSync(`${path}.pub`, `${data.public_key}\n`);
  } catch (error) {
    rmSync(path, { force: true });
    await shell.client().ask((api) => api.DELETE("/ssh-keys/{id}", { params: { path: { id: data.id } } }));
    throw new CommandError(
      `${path} cannot be written, so the key was deleted again.`,
      "Choose another file with --output.",
      {
        cause: error,
      },
    );
  }
  shell.out.line(
    `Saved the private key in ${path}. To use it: lessor launch <type> --key ${name}, then lessor ssh … -i ${path}`,
  );
}

function usualKey(shell: Shell): string {
  const folder = join(homeOf(shell), ".ssh");
  const found = ["id_ed25519.pub", "id_ecdsa.pub", "id_rsa.pub"].map((name) => join(folder, name)).find(existsSync);
  if (found !== undefined) return found;
  throw usageError(
    `There is no public key in ${folder}.`,
    "Create one with ssh-keygen, or: lessor keys generate <name>.",
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CommandError(`${path} cannot be read.`, "Check the path.", { cause: error, exit: "not-found" });
  }
}

const columns: readonly Column<SshKey>[] = [
  { title: "NAME", of: ({ name }) => name, colour: () => "bold" },
  { title: "FINGERPRINT", of: ({ fingerprint }) => fingerprint },
  { title: "AGE", of: ({ created_at }) => age(created_at), align: "right", spare: 2 },
  { title: "ID", of: ({ id }) => id, spare: 1 },
];
