// Every command by name: its help group, a one-line summary, and its module. Help, completion and docs/reference/cli.md
// are made from this table or tested against it. A command's file is loaded only when that command runs, so no command
// pays for another one.

import type { CommandFile } from "./shell.ts";

export interface CommandEntry {
  readonly group: string;
  /** Aliases. Here and not in the command's file, which is loaded only once the command is known. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly load: () => Promise<CommandFile>;
}

export type CommandTable = Readonly<Record<string, CommandEntry>>;

/** Also the group of `help`. */
export const accountGroup = "Your account:";

const rent = "Instances:";
const keep = "SSH keys and storage:";
const spend = "Usage and events:";
const operate = "For operators, on a running service:";

export const clientCommands: CommandTable = {
  types: {
    group: rent,
    summary: "list instance types with prices and capacity",
    load: () => import("./commands/types.ts"),
  },
  regions: { group: rent, summary: "list regions and their capacity", load: () => import("./commands/regions.ts") },
  images: { group: rent, summary: "list images", load: () => import("./commands/images.ts") },
  launch: { group: rent, summary: "launch instances", load: () => import("./commands/launch.ts") },
  launches: {
    group: rent,
    summary: "list and cancel launches that wait for room",
    load: () => import("./commands/launches.ts"),
  },
  reservations: {
    group: rent,
    summary: "reserve capacity for a time; list and cancel reservations",
    load: () => import("./commands/reservations.ts"),
  },
  notices: {
    group: rent,
    summary: "be told when there is capacity for an instance type",
    load: () => import("./commands/notices.ts"),
  },
  list: {
    group: rent,
    aliases: ["ls"],
    summary: "list instances, newest first",
    load: () => import("./commands/list.ts"),
  },
  show: { group: rent, summary: "show everything about an instance", load: () => import("./commands/show.ts") },
  ssh: { group: rent, summary: "log in to an instance", load: () => import("./commands/ssh.ts") },
  logs: { group: rent, summary: "show the console log of an instance", load: () => import("./commands/logs.ts") },
  top: { group: rent, summary: "show the use of GPUs, CPUs and memory", load: () => import("./commands/top.ts") },
  stop: {
    group: rent,
    summary: "stop instances; they keep their disks and stay billed",
    load: () => import("./commands/stop.ts"),
  },
  restart: { group: rent, summary: "start stopped instances", load: () => import("./commands/restart.ts") },
  reboot: {
    group: rent,
    summary: "stop instances and start them again",
    load: () => import("./commands/reboot.ts"),
  },
  terminate: {
    group: rent,
    summary: "terminate instances and delete their disks",
    load: () => import("./commands/terminate.ts"),
  },
  rename: { group: rent, summary: "rename an instance", load: () => import("./commands/rename.ts") },
  tag: { group: rent, summary: "list and change the tags of an instance", load: () => import("./commands/tag.ts") },
  "report-fault": {
    group: rent,
    summary: "report a faulty GPU of an instance",
    load: () => import("./commands/report-fault.ts"),
  },
  idle: {
    group: rent,
    summary: "choose what happens when the GPUs of an instance are not used",
    load: () => import("./commands/idle.ts"),
  },
  firewall: {
    group: rent,
    summary: "manage firewall rules and rulesets",
    load: () => import("./commands/firewall.ts"),
  },
  maintenance: {
    group: rent,
    summary: "list and defer maintenance; for operators also schedule it",
    load: () => import("./commands/maintenance.ts"),
  },

  keys: {
    group: keep,
    summary: "manage SSH keys; for operators also encryption keys",
    load: () => import("./commands/keys.ts"),
  },
  fs: { group: keep, summary: "manage persistent file systems", load: () => import("./commands/fs.ts") },
  env: {
    group: keep,
    summary: "check and convert files of environment variables",
    load: () => import("./commands/env.ts"),
  },

  coupon: { group: spend, summary: "validate coupons", load: () => import("./commands/coupon.ts") },
  usage: { group: spend, summary: "show usage and cost", load: () => import("./commands/usage.ts") },
  "budget-alerts": {
    group: spend,
    summary: "be told when the usage of a month reaches an amount",
    load: () => import("./commands/budget-alerts.ts"),
  },
  balance: { group: spend, summary: "show your balance", load: () => import("./commands/balance.ts") },
  ledger: {
    group: spend,
    summary: "list payments, usage, credits and corrections",
    load: () => import("./commands/ledger.ts"),
  },
  invoices: {
    group: spend,
    summary: "list and download invoices; for operators also correct and export them",
    load: () => import("./commands/invoices.ts"),
  },
  payments: {
    group: spend,
    summary: "top up your balance; list payments",
    load: () => import("./commands/payments.ts"),
  },
  "payment-methods": {
    group: spend,
    summary: "save, list and remove payment methods",
    load: () => import("./commands/payment-methods.ts"),
  },
  "auto-top-up": {
    group: spend,
    summary: "top up your balance automatically",
    load: () => import("./commands/auto-top-up.ts"),
  },
  vouchers: {
    group: spend,
    summary: "redeem vouchers; for operators also create them",
    load: () => import("./commands/vouchers.ts"),
  },
  events: { group: spend, summary: "show events", load: () => import("./commands/events.ts") },
  webhooks: { group: spend, summary: "send events to your server", load: () => import("./commands/webhooks.ts") },

  login: {
    group: accountGroup,
    summary: "sign in through the browser or with a token",
    load: () => import("./commands/login.ts"),
  },
  switch: {
    group: accountGroup,
    summary: "go on in another team of yours",
    load: () => import("./commands/switch.ts"),
  },
  logout: { group: accountGroup, summary: "delete a stored token", load: () => import("./commands/logout.ts") },
  account: {
    group: accountGroup,
    aliases: ["whoami"],
    summary: "show your account, its limits and your token; choose its emails",
    load: () => import("./commands/account.ts"),
  },
  members: {
    group: accountGroup,
    summary: "list the people of your team, change their roles, leave",
    load: () => import("./commands/members.ts"),
  },
  invitations: {
    group: accountGroup,
    summary: "invite people to your team, accept an invitation",
    load: () => import("./commands/invitations.ts"),
  },
  sessions: {
    group: accountGroup,
    summary: "list and end your sessions of the console",
    load: () => import("./commands/sessions.ts"),
  },
  tokens: {
    group: accountGroup,
    summary: "manage tokens, their scopes and spend limits",
    load: () => import("./commands/tokens.ts"),
  },
  completion: {
    group: accountGroup,
    summary: "set up completion of commands and names in your shell",
    load: () => import("./commands/completion.ts"),
  },
  mcp: {
    group: accountGroup,
    summary: "serve the Model Context Protocol to an agent",
    load: () => import("./commands/mcp.ts"),
  },

  apply: { group: operate, summary: "apply a catalog file", load: () => import("./commands/apply.ts") },
  simulate: {
    group: operate,
    summary: "inject faults into the simulated engine",
    load: () => import("./commands/simulate.ts"),
  },
  move: {
    group: operate,
    summary: "move a stopped instance to another host",
    load: () => import("./commands/move.ts"),
  },
  hosts: { group: operate, summary: "list, cordon, drain and label hosts", load: () => import("./commands/hosts.ts") },
  gpus: {
    group: operate,
    summary: "list and quarantine GPUs, and set what happens between two tenants",
    load: () => import("./commands/gpus.ts"),
  },
  engines: { group: operate, summary: "list engines and their health", load: () => import("./commands/engines.ts") },
  accounts: {
    group: operate,
    summary: "manage accounts, their limits, tokens and payments",
    load: () => import("./commands/accounts.ts"),
  },
  emails: {
    group: operate,
    summary: "list emails to accounts, and send a test",
    load: () => import("./commands/emails.ts"),
  },
};
