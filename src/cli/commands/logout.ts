// `lessor logout`: deletes a stored token locally; on request it is revoked too.

import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { forgetToken, readProfiles, writeProfiles } from "../connection/config-file.ts";
import { controlBase } from "../connection/connection.ts";
import { controlClient } from "../connection/control-client.ts";
import { examples, type Shell } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option("--revoke", "also revoke the token", false)
    .action((options: { revoke: boolean }) => logout(shell, options));
  examples(command, {
    "lessor logout": "deletes the stored token of the current profile",
    "lessor logout --revoke": "also invalidates the token everywhere",
    "lessor --profile work logout": "deletes the token of another profile",
  });
}

async function logout(shell: Shell, { revoke }: { revoke: boolean }): Promise<void> {
  const { current, profiles } = readProfiles(shell.env);
  const name = shell.env.LESSOR_PROFILE || current;
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile === undefined) {
    throw new CommandError(`No token is stored as profile ${name}.`, undefined, { exit: "not-found" });
  }
  if (revoke) {
    const client = controlClient(controlBase(profile.url), profile.token);
    const { id } = (await client.ask((api) => api.GET("/account"))).data.token;
    await client.ask((api) => api.DELETE("/tokens/{id}", { params: { path: { id } } }));
  }
  // Read again: other sign-ins may have changed the file meanwhile.
  const now = readProfiles(shell.env);
  const { [name]: _, ...rest } = now.profiles;
  forgetToken(shell.env, profile);
  const next = name === now.current ? (Object.keys(rest)[0] ?? "default") : now.current;
  writeProfiles(shell.env, { current: next, profiles: rest });
  shell.out.line(`${revoke ? "Revoked and deleted" : "Deleted"} the stored token for ${profile.url}.`);
}
