// `lessor login`: gets a token through the browser, or reads one, verifies it, and stores it readable only by its owner. The
// token is typed without echo or read from standard input, never an argument.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { ask, askSecret } from "../ask.ts";
import { tokenByBrowser } from "../browser-sign-in.ts";
import { usageError } from "../command-error.ts";
import { readProfiles, writeProfiles } from "../connection/config-file.ts";
import { controlBase, defaultAddress, tokenIn } from "../connection/connection.ts";
import { controlClient } from "../connection/control-client.ts";
import { plain } from "../output/text.ts";
import { canAsk, examples, printJson, readInput, type Shell, withJson } from "../shell.ts";

interface Options {
  readonly withToken: boolean;
  readonly browser: boolean;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("[address]", "the address of the service, such as https://gpu.example.com (default: asks for it)")
    .option("--with-token", "read the token from standard input", false)
    .option("--browser", "sign in through the browser, as a person", false)
    .action((address: string | undefined, options: Options) => login(shell, address, options))
    .addHelpText(
      "after",
      `
Verifies the token and stores it in the keyring of your system, or without one in $XDG_CONFIG_HOME/lessor/config.json (or ~/.config), which only you can read. Use
--profile <name> before the command to store several tokens; the last one is the default. LESSOR_URL and LESSOR_TOKEN take precedence over stored tokens.`,
    );
  examples(command, {
    "lessor login https://gpu.example.com": "asks for the token without showing it",
    "lessor login --browser": "shows a code to confirm in the console",
    "lessor login --with-token < token.txt": "from a file",
    "pass lessor | lessor login https://gpu.example.com --with-token": "from a password store",
    "lessor --profile work login https://gpu.example.com": "a second profile; then lessor --profile work list",
  });
}

async function login(shell: Shell, given: string | undefined, { withToken, browser, json }: Options): Promise<void> {
  if (withToken && browser) throw usageError("Give either --with-token or --browser.", "Omit one of them.");
  const kept = readProfiles(shell.env);
  const name = shell.env.LESSOR_PROFILE || kept.current;
  const before = Object.hasOwn(kept.profiles, name) ? kept.profiles[name]?.url : undefined;
  const usual = shell.env.LESSOR_URL || before || defaultAddress;
  const address =
    given ??
    (withToken || browser || !canAsk(shell) ? usual : (await ask(shell, `Address [${usual}]: `)).trim() || usual);
  const base = controlBase(address);
  const token = browser ? await tokenByBrowser(shell, address) : await tokenFrom(shell, withToken);
  const { data: account } = await controlClient(base, token).ask((api) => api.GET("/account"));
  // Read again: other sign-ins may have changed the file meanwhile.
  const { profiles } = readProfiles(shell.env);
  const path = writeProfiles(shell.env, {
    current: name,
    profiles: {
      ...profiles,
      [name]: { url: address.replace(/\/+$/, ""), token, ...(browser && { team: account.name }) },
    },
  });
  if (json) return printJson(shell, account);
  shell.out.line(signedIn(account, address));
  shell.err.line(shell.err.paint("dim", `Stored the token in ${path}, as profile ${name}, the default from now on.`));
  if (shell.env.LESSOR_TOKEN) shell.err.line("LESSOR_TOKEN is set and takes precedence.");
  if (isOpenWay(base)) {
    shell.err.line(
      shell.err.paint("yellow", "Anyone on the network can read a token sent over http. Use https if available."),
    );
  }
}

/** Throws CommandError if the text cannot be a token. */
async function tokenFrom(shell: Shell, fromInput: boolean): Promise<string> {
  if (!fromInput && !canAsk(shell)) {
    throw usageError("No terminal is available to enter the token.", "Use --with-token < file, or --browser.");
  }
  const given = fromInput ? await readInput(shell) : await askSecret(shell, "Token (not shown): ");
  return tokenIn(given, "The input");
}

/** Whether the token would cross a network unencrypted. */
function isOpenWay(base: string): boolean {
  const { protocol, hostname } = new URL(base);
  return protocol === "http:" && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

function signedIn({ name, token }: Shape<"OwnAccount">, address: string): string {
  return plain(`Signed in to ${address} as ${name}; scopes: ${token.scopes.join(", ")}.`);
}
