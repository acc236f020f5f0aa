// Completion candidates at the cursor: commands, options and, from the placeholders in argument and option descriptions
// (`<instance>`, `<region>`), names from the service. Used by commands/completion.ts.

import type { Argument, Command, Option } from "commander";
import { finalState, states } from "../../rules/lifecycle.ts";
import { maintenanceModes, windowPhases } from "../../rules/maintenance.ts";
import { reservationTraits } from "../../rules/reservations.ts";
import { operatorRoles, teamRoles } from "../../rules/roles.ts";
import { readProfiles } from "../connection/config-file.ts";
import { connectionFrom, controlBase } from "../connection/connection.ts";
import { type ControlClient, controlClient } from "../connection/control-client.ts";
import { offerOrders } from "../launch/offers.ts";
import { plain } from "../output/text.ts";
import { describe } from "../run.ts";
import type { Shell } from "../shell.ts";
import { completionScripts } from "./scripts.ts";

/** Short: a person waits at a prompt. */
const timeoutMs = 1500;

/** Stands for file names, which the shell completes itself. */
const file = ":file";

/**
 * Every full candidate for the last word; none on an error. A candidate that is not one plain line is dropped: it would
 * be two, or control the terminal.
 */
export async function candidates(words: readonly string[], shell: Shell): Promise<string[]> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const program = await describe({ asked: before, shell });
  try {
    const found = await candidatesAt(program, before, current, shell);
    if (found.includes(file)) return [file];
    return [...new Set(found)].filter((one) => one.startsWith(current) && one === plain(one)).sort();
  } catch {
    return []; // Not signed in, unreachable or too slow: a prompt shows no errors.
  }
}

async function candidatesAt(
  program: Command,
  before: readonly string[],
  current: string,
  shell: Shell,
): Promise<readonly string[]> {
  let command = program;
  let operands: string[] = [];
  let awaited: Option | undefined;
  for (const word of before) {
    if (awaited !== undefined) {
      if (awaited.long === "--profile") shell.env.LESSOR_PROFILE = word;
      awaited = undefined;
    } else if (word.startsWith("-")) {
      const option = optionNamed(command, word);
      awaited = option?.required === true && !word.includes("=") ? option : undefined;
    } else {
      const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (next === undefined) operands = [...operands, word];
      else [command, operands] = [next, []];
    }
  }
  if (awaited !== undefined) return namesFor(wordOf(awaited.flags), shell);
  if (current.startsWith("-")) return optionsOf(command);
  const argument = argumentAt(command, operands.length);
  const names = argument === undefined ? [] : await namesFor(argument.name(), shell);
  return [...command.commands.map((one) => one.name()), ...names.filter((one) => !operands.includes(one))];
}

function optionNamed(command: Command, word: string): Option | undefined {
  const flag = word.split("=")[0];
  return command.options.find((one) => one.long === flag || one.short === flag);
}

function optionsOf(command: Command): string[] {
  return ["--help", ...command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]))];
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined);
}

/** The placeholder in an option's flags: "--region <region>". */
function wordOf(flags: string): string {
  return /[<[]([\w-]+)/.exec(flags)?.[1] ?? "";
}

/** How to list each kind of name. The kinds are the placeholders in commands' descriptions. */
const kinds: Readonly<Record<string, (shell: Shell) => Promise<readonly string[]> | readonly string[]>> = {
  file: () => [file],
  shell: () => Object.keys(completionScripts),
  topic: ({ commands }) => ["exit-codes", ...Object.keys(commands)],
  order: () => offerOrders,
  status: () => states,
  "delivery-status": () => ["pending", "delivered", "failed"],
  scope: () => ["read", "write", "operator"],
  protocol: () => ["tcp", "udp", "icmp", "all"],
  form: () => ["json", "shell", "docker"],
  profile: ({ env }) => Object.keys(readProfiles(env).profiles),
  instance: named(
    (client) => client.ask((api) => api.GET("/instances", { params: { query: {} } })),
    (one) => one.status !== finalState,
  ),
  type: async (shell) =>
    (await quick(shell).ask((api) => api.GET("/offers", { params: { query: {} } }))).data.map(
      (one) => one.instance_type.name,
    ),
  model: async (shell) => {
    const { data } = await quick(shell).ask((api) => api.GET("/offers", { params: { query: {} } }));
    return data.flatMap(({ instance_type: { gpu_model } }) => gpu_model ?? []);
  },
  region: async (shell) => {
    const { data } = await quick(shell).ask((api) => api.GET("/offers", { params: { query: {} } }));
    return data.flatMap(({ regions }) => regions.map(({ name }) => name));
  },
  image: named((client) => client.ask((api) => api.GET("/images", { params: { query: {} } }))),
  "ssh-key": named((client) => client.ask((api) => api.GET("/ssh-keys", { params: { query: {} } }))),
  "file-system": named((client) => client.ask((api) => api.GET("/file-systems", { params: { query: {} } }))),
  token: named(
    (client) => client.ask((api) => api.GET("/tokens", { params: { query: {} } })),
    (one) => one.revoked_at === null,
  ),
  account: named((client) => client.ask((api) => api.GET("/accounts", { params: { query: {} } }))),
  ruleset: named((client) => client.ask((api) => api.GET("/firewall-rulesets", { params: { query: {} } }))),
  host: named((client) => client.ask((api) => api.GET("/hosts", { params: { query: {} } }))),
  maintenance: async (shell) =>
    (await quick(shell).ask((api) => api.GET("/maintenance-windows", { params: { query: {} } }))).data.map(
      ({ id }) => id,
    ),
  notice: async (shell) =>
    (await quick(shell).ask((api) => api.GET("/capacity-notices", { params: { query: {} } }))).data.map(({ id }) => id),
  reservation: named(
    (client) => client.ask((api) => api.GET("/reservations", { params: { query: {} } })),
    ({ state }) => reservationTraits[state].isOpen,
  ),
  phase: () => windowPhases,
  "maintenance-mode": () => maintenanceModes,
  role: () => [...teamRoles, ...operatorRoles],
  person: async (shell) =>
    (await quick(shell).ask((api) => api.GET("/members", { params: { query: {} } }))).data.map(({ email }) => email),
  invitation: async (shell) =>
    (await quick(shell).ask((api) => api.GET("/invitations", { params: { query: {} } }))).data.map(
      ({ email }) => email,
    ),
  webhook: async (shell) =>
    (await quick(shell).ask((api) => api.GET("/webhooks", { params: { query: {} } }))).data.map(({ url }) => url),
};

function named<One extends { readonly name: string }>(
  list: (client: ControlClient) => Promise<{ data: readonly One[] }>,
  wanted: (one: One) => boolean = () => true,
): (shell: Shell) => Promise<string[]> {
  return async (shell) => (await list(quick(shell))).data.filter(wanted).map(({ name }) => name);
}

async function namesFor(kind: string, shell: Shell): Promise<readonly string[]> {
  return (await kinds[kind]?.(shell)) ?? [];
}

function quick(shell: Shell): ControlClient {
  const { address, token } = connectionFrom(shell.env);
  return controlClient(controlBase(address), token, undefined, timeoutMs);
}
