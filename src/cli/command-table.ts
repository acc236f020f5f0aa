// Every command there is, by its name: in which group of the help it stands, in one line what it does, and where the rest of
// it is. Help, completion and docs/cli.md are made from it or held to it. A command's file is loaded only when it is asked
// for, so no command pays for another one.

import type { CommandFile } from "./shell.ts";

export interface CommandEntry {
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<CommandFile>;
}

export type CommandTable = Readonly<Record<string, CommandEntry>>;

const rent = "Rent machines:";
const keep = "What you keep:";
const spend = "What it costs, and what happens:";
const account = "You and your account:";
const operate = "For operators, on a running service:";

export const clientCommands: CommandTable = {
  types: {
    group: rent,
    summary: "what can be rented, where, and what it costs",
    load: () => import("./commands/types.ts"),
  },
  regions: { group: rent, summary: "where something can be rented", load: () => import("./commands/regions.ts") },
  launch: { group: rent, summary: "rent machines", load: () => import("./commands/launch.ts") },
  list: { group: rent, summary: "your machines", load: () => import("./commands/list.ts") },
  show: { group: rent, summary: "everything about one machine", load: () => import("./commands/show.ts") },
  ssh: { group: rent, summary: "log in to a machine", load: () => import("./commands/ssh.ts") },
  logs: { group: rent, summary: "what a machine wrote to its console", load: () => import("./commands/logs.ts") },
  stop: { group: rent, summary: "stop machines; they are kept, and billed", load: () => import("./commands/stop.ts") },
  restart: { group: rent, summary: "start stopped machines again", load: () => import("./commands/restart.ts") },
  terminate: {
    group: rent,
    summary: "give machines back, with what is on them",
    load: () => import("./commands/terminate.ts"),
  },

  keys: {
    group: keep,
    summary: "SSH keys; for operators also encryption keys",
    load: () => import("./commands/keys.ts"),
  },
  fs: { group: keep, summary: "file systems, which outlive machines", load: () => import("./commands/fs.ts") },
  env: {
    group: keep,
    summary: "check and convert files of environment variables",
    load: () => import("./commands/env.ts"),
  },
  coupon: { group: spend, summary: "what a coupon makes of a price", load: () => import("./commands/coupon.ts") },
  usage: { group: spend, summary: "what was used, and what it cost", load: () => import("./commands/usage.ts") },
  events: { group: spend, summary: "what happened, and what happens", load: () => import("./commands/events.ts") },
  webhooks: {
    group: spend,
    summary: "have events sent to a server of yours",
    load: () => import("./commands/webhooks.ts"),
  },

  login: {
    group: account,
    summary: "keep a token for this and later commands",
    load: () => import("./commands/login.ts"),
  },
  logout: { group: account, summary: "forget a kept token", load: () => import("./commands/logout.ts") },
  account: {
    group: account,
    summary: "who you are, and what you may have",
    load: () => import("./commands/account.ts"),
  },
  tokens: { group: account, summary: "tokens, what they may do and spend", load: () => import("./commands/tokens.ts") },
  completion: {
    group: account,
    summary: "have your shell complete commands and names",
    load: () => import("./commands/completion.ts"),
  },
  mcp: {
    group: account,
    summary: "let an agent rent machines, over the Model Context Protocol",
    load: () => import("./commands/mcp.ts"),
  },

  apply: {
    group: operate,
    summary: "bring the catalogue to what a file says",
    load: () => import("./commands/apply.ts"),
  },
  hosts: { group: operate, summary: "the machines that everything runs on", load: () => import("./commands/hosts.ts") },
  engines: {
    group: operate,
    summary: "what runs the machines, and how it is",
    load: () => import("./commands/engines.ts"),
  },
  accounts: {
    group: operate,
    summary: "accounts, their bounds and their tokens",
    load: () => import("./commands/accounts.ts"),
  },
};
