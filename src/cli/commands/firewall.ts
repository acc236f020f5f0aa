// `lessor firewall`: the account's rules, and rulesets for launches.
//
// The service replaces all rules of a set at once, so a change reads them, edits the list and writes it back.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { confirm } from "../ask.ts";
import { CommandError } from "../command-error.ts";
import {
  isSameRule,
  letsEverythingIn,
  portsText,
  protocolWords,
  type Rule,
  ruleFrom,
  ruleText,
} from "../firewall-rules.ts";
import { byIdOrName } from "../names.ts";
import { type Column, printTable } from "../output/table.ts";
import { age } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

export type Ruleset = Shape<"FirewallRuleset">;

interface Options {
  readonly source: string;
  readonly description?: string;
  readonly ruleset?: string;
  readonly json: boolean;
}

const rulesetOption = "of a ruleset instead of the account: its name, its id, or the beginning of either";

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list the rules of the account or a ruleset"))
    .option("--ruleset <ruleset>", rulesetOption)
    .action(async ({ ruleset, json }: Options) => showRules(shell, (await rulesOf(shell, ruleset)).rules, json));
  examples(list, {
    "lessor firewall list": "the rules for all instances of the account",
    "lessor firewall list --ruleset web": "the rules of a ruleset",
  });

  const add = withJson(command.command("add").description("add a rule that allows inbound traffic"))
    .argument("<protocol>", protocolWords)
    .argument("[ports]", "a port or a range such as 8000-8010 (default: all ports)")
    .option("--source <network>", "the allowed source: a network or an address", "0.0.0.0/0")
    .option("--description <description>", "the purpose")
    .option("--ruleset <ruleset>", rulesetOption)
    .action((protocol: string, ports: string | undefined, options: Options) => {
      const rule = ruleFrom(protocol, ports, options.source, options.description);
      return change(shell, options, (rules) => [...rules.filter((one) => !isSameRule(one, rule)), rule]);
    });
  examples(add, {
    "lessor firewall add tcp 22 --source 203.0.113.0/24": "SSH from one network",
    "lessor firewall add tcp 8000-8010 --description demo": "ports open to all addresses",
    "lessor firewall add icmp": "ping",
  });

  const remove = withJson(command.command("remove").alias("rm").description("remove a rule"))
    .argument("<protocol>", protocolWords)
    .argument("[ports]", "as lessor firewall list shows them (default: all ports)")
    .option("--source <network>", "the source of the rule", "0.0.0.0/0")
    .option("--ruleset <ruleset>", rulesetOption)
    .action((protocol: string, ports: string | undefined, options: Options) => {
      const rule = ruleFrom(protocol, ports, options.source);
      return change(shell, options, (rules) => without(rules, rule));
    });
  examples(remove, {
    "lessor firewall remove all": "the default rule, which allows all traffic",
    "lessor firewall remove tcp 22 --source 203.0.113.0/24": "one rule",
  });
  defineRulesets(command.command("rulesets").description("manage rulesets for instances"), shell);
}

function defineRulesets(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list rulesets")).action(
    async ({ json }: { json: boolean }) => {
      const rulesets = await rulesetsOf(shell);
      if (json) return printJson(shell, rulesets);
      printTable(shell.out, rulesets, rulesetColumns, "No rulesets.");
    },
  );
  examples(list, { "lessor firewall rulesets list": "names for launch --firewall" });

  const create = withJson(command.command("create").description("create a ruleset without rules"))
    .argument("<name>", "its name, 1 to 64 characters")
    .requiredOption("--region <region>", "the region of its instances")
    .action(async (name: string, { region, json }: { region: string; json: boolean }) => {
      const body = { name, region, rules: [] };
      const { data } = await shell.client().ask((api) => api.POST("/firewall-rulesets", { body }));
      if (json) return printJson(shell, data);
      shell.out.line(`Created ruleset ${data.name}. Add rules: lessor firewall add tcp 443 --ruleset ${data.name}`);
    });
  examples(create, { "lessor firewall rulesets create web --region us-east-1": "then add rules to it" });

  const remove = command
    .command("delete")
    .alias("rm")
    .description("delete a ruleset that no instance uses")
    .argument("<ruleset>", "its name, its id, or the beginning of either")
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, { yes }: { yes: boolean }) => {
      const { id, name } = await rulesetNamed(shell, word);
      await confirm(shell, { what: `This deletes the ruleset ${name} with its rules.`, yes });
      await shell.client().ask((api) => api.DELETE("/firewall-rulesets/{id}", { params: { path: { id } } }));
      shell.out.line(`Deleted ruleset ${name}.`);
    });
  examples(remove, { "lessor firewall rulesets delete web": "asks for confirmation" });
}

/** The ruleset that a name or id refers to. Throws CommandError. */
export async function rulesetNamed(shell: Shell, word: string): Promise<Ruleset> {
  return byIdOrName(word, await rulesetsOf(shell), { what: "ruleset", list: "lessor firewall rulesets list" });
}

async function rulesetsOf(shell: Shell): Promise<Ruleset[]> {
  return (await shell.client().ask((api) => api.GET("/firewall-rulesets", { params: { query: {} } }))).data;
}

/** Of the account, or of the named ruleset. */
async function rulesOf(shell: Shell, word: string | undefined): Promise<{ id?: string; rules: readonly Rule[] }> {
  if (word !== undefined) return rulesetNamed(shell, word);
  return { rules: (await shell.client().ask((api) => api.GET("/firewall-rules"))).data };
}

async function change(
  shell: Shell,
  { ruleset, json }: Options,
  changed: (rules: readonly Rule[]) => readonly Rule[],
): Promise<void> {
  const client = shell.client();
  const { id, rules: before } = await rulesOf(shell, ruleset);
  const body = { rules: [...changed(before)] };
  const after =
    id === undefined
      ? (await client.ask((api) => api.PUT("/firewall-rules", { body }))).data
      : (await client.ask((api) => api.PATCH("/firewall-rulesets/{id}", { params: { path: { id } }, body }))).data
          .rules;
  showRules(shell, after, json);
}

/** Throws CommandError if the rule is not in the list. */
function without(rules: readonly Rule[], rule: Rule): Rule[] {
  const left = rules.filter((one) => !isSameRule(one, rule));
  if (left.length < rules.length) return left;
  const known = rules.map(ruleText).join("; ");
  throw new CommandError(
    `There is no rule ${ruleText(rule)}.`,
    known === "" ? "There are no rules." : `The rules are: ${known}.`,
    { exit: "not-found" },
  );
}

function showRules(shell: Shell, rules: readonly Rule[], json: boolean): void {
  if (json) {
    printJson(shell, rules);
    return;
  }
  printTable(shell.out, rules, ruleColumns, "No rules. All inbound traffic is blocked.");
  if (rules.length > 1 && rules.some(letsEverythingIn)) {
    shell.err.line("One of the rules allows all traffic. To remove it: lessor firewall remove all");
  }
}

const ruleColumns: readonly Column<Rule>[] = [
  { title: "PROTOCOL", of: ({ protocol }) => protocol, colour: () => "bold" },
  { title: "PORTS", of: portsText },
  { title: "SOURCE", of: ({ source_network }) => source_network },
  { title: "DESCRIPTION", of: ({ description }) => description, spare: 1 },
];

const rulesetColumns: readonly Column<Ruleset>[] = [
  { title: "NAME", of: ({ name }) => name, colour: () => "bold" },
  { title: "REGION", of: ({ region }) => region.name },
  { title: "RULES", of: ({ rules }) => rules.map(ruleText).join("; ") || "none", spare: 2 },
  { title: "INSTANCES", of: ({ instance_ids }) => instance_ids.length, align: "right", spare: 3 },
  { title: "AGE", of: ({ created_at }) => age(created_at), align: "right", spare: 4 },
  { title: "ID", of: ({ id }) => id, spare: 1 },
];
