// `lessor login`: takes a token, tries it, and keeps it where only its owner reads it. The token is typed unseen or comes
// through standard input, never as an argument.

import type { Command } from "commander";
import type { Shape } from "../../client/index.ts";
import { ask, askSecret } from "../ask.ts";
import { usageError } from "../command-error.ts";
import { readProfiles, writeProfiles } from "../config-file.ts";
import { controlBase, defaultAddress } from "../connection.ts";
import { controlClient } from "../control-client.ts";
import { canAsk, examples, printJson, readInput, type Shell, withJson } from "../shell.ts";

interface Options {
  readonly withToken: boolean;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("[address]", "where the service is, such as https://gpu.example.com; otherwise it is asked for")
    .option("--with-token", "read the token from standard input", false)
    .action((address: string | undefined, options: Options) => login(shell, address, options))
    .addHelpText(
      "after",
      `
The token is tried and then kept in $XDG_CONFIG_HOME/lessor/config.json (or ~/.config), which only you may read. With
--profile <name> before the command it is kept beside others. LESSOR_URL and LESSOR_TOKEN win over what is kept.`,
    );
  examples(command, {
    "lessor login https://gpu.example.com": "asks for the token, which is not shown",
    "lessor login --with-token < token.txt": "from a file",
    "pass lessor | lessor login https://gpu.example.com --with-token": "from a password store",
    "lessor --profile work login https://gpu.example.com": "a second one; then lessor --profile work list",
  });
}

async function login(shell: Shell, given: string | undefined, { withToken, json }: Options): Promise<void> {
  const kept = readProfiles(shell.env);
  const name = shell.env.LESSOR_PROFILE || kept.current;
  const before = Object.hasOwn(kept.profiles, name) ? kept.profiles[name]?.url : undefined;
  const usual = shell.env.LESSOR_URL || before || defaultAddress;
  const address =
    given ?? (withToken || !canAsk(shell) ? usual : (await ask(shell, `Address [${usual}]: `)).trim() || usual);
  const base = controlBase(address);
  const token = await tokenFrom(shell, withToken);
  const { data: account } = await controlClient(base, token).ask((api) => api.GET("/account"));
  const path = writeProfiles(shell.env, {
    current: name,
    profiles: { ...kept.profiles, [name]: { url: address.replace(/\/+$/, ""), token } },
  });
  if (json) return printJson(shell, account);
  shell.out.line(signedIn(account, address));
  shell.err.line(shell.err.paint("dim", `The token is kept in ${path}, as profile ${name}.`));
  if (shell.env.LESSOR_TOKEN) shell.err.line("LESSOR_TOKEN is set, and wins over it.");
}

/** Without what surrounds it, for files end in a line end. Throws CommandError for what cannot be a token. */
async function tokenFrom(shell: Shell, fromInput: boolean): Promise<string> {
  if (!fromInput && !canAsk(shell)) {
    throw usageError("There is no terminal to ask for the token on.", "Give it with --with-token < file.");
  }
  const token = (fromInput ? await readInput(shell) : await askSecret(shell, "Token (not shown): ")).trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw usageError(
    token === "" ? "No token was given." : "What was given is no token: it has spaces or letters that no token has.",
    "Copy it once more, whole; tokens begin with lessor_.",
  );
}

function signedIn({ name, token }: Shape<"OwnAccount">, address: string): string {
  return `Signed in to ${address} as ${name}; the token may ${token.scopes.join(", ")}.`;
}
