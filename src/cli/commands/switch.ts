// `lessor switch`: goes on in another team of the person, with the token that is stored for it, or a new one that the person
// confirms in the browser: a token is for one team.

import type { Command } from "commander";
import { tokenByBrowser } from "../browser-sign-in.ts";
import { CommandError } from "../command-error.ts";
import { readProfiles, writeProfiles } from "../connection/config-file.ts";
import { addressFrom, controlBase } from "../connection/connection.ts";
import { controlClient } from "../connection/control-client.ts";
import { plain } from "../output/text.ts";
import { examples, type Shell } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  command.argument("<team>", "its name").action((team: string) => switchTo(shell, team));
  examples(command, { "lessor switch research": "later commands act in this team" });
}

async function switchTo(shell: Shell, team: string): Promise<void> {
  const address = addressFrom(shell.env).replace(/\/+$/, "");
  const kept = readProfiles(shell.env);
  const known = Object.entries(kept.profiles).find(([, one]) => one.url === address && one.team === team)?.[0];
  const name = known ?? team;
  const token = known === undefined ? await tokenByBrowser(shell, address, team) : kept.profiles[known]?.token;
  if (token === undefined) throw new Error("BUG: a profile that was just found is missing");
  const { data } = await controlClient(controlBase(address), token).ask((api) => api.GET("/account"));
  if (data.name !== team) {
    throw new CommandError(`The token is for the team ${plain(data.name)}.`, `Choose ${team} in the browser.`);
  }
  const { profiles } = readProfiles(shell.env);
  writeProfiles(shell.env, { current: name, profiles: { ...profiles, [name]: { url: address, token, team } } });
  shell.out.line(plain(`Switched to ${team}, as profile ${name}.`));
  if (shell.env.LESSOR_TOKEN) shell.err.line("LESSOR_TOKEN is set and takes precedence.");
}
