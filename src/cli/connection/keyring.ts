// The keyring of the operating system, through its own commands: secret-tool (libsecret) on Linux, security on macOS. Used by
// config-file.ts for stored tokens.
//
// Invariant: a token is in no argument, which the process list shows, but in standard input. Without a keyring, or one that
// does not respond in time, nothing is stored, and the caller uses its file.

import { execFileSync } from "node:child_process";

const service = "lessor";
const timeout = 5000;

/** Whether it is stored now. `account`: what it is found by. */
export function storeInKeyring(env: NodeJS.ProcessEnv, account: string, token: string): boolean {
  if (!isPlain(account) || !isPlain(token)) return false;
  if (process.platform === "darwin") {
    run(env, "security", ["-i"], `add-generic-password -U -a "${account}" -s ${service} -w "${token}"\n`);
  } else {
    run(env, "secret-tool", ["store", "--label", `Lessor ${account}`, ...attributes(account)], token);
  }
  // Some keyrings say that they stored what they did not.
  return findInKeyring(env, account) === token;
}

export function findInKeyring(env: NodeJS.ProcessEnv, account: string): string | undefined {
  const found =
    process.platform === "darwin"
      ? run(env, "security", ["find-generic-password", "-a", account, "-s", service, "-w"])
      : run(env, "secret-tool", ["lookup", ...attributes(account)]);
  return found?.trim() || undefined;
}

export function removeFromKeyring(env: NodeJS.ProcessEnv, account: string): void {
  if (process.platform === "darwin") run(env, "security", ["delete-generic-password", "-a", account, "-s", service]);
  else run(env, "secret-tool", ["clear", ...attributes(account)]);
}

const attributes = (account: string) => ["service", service, "account", account];

/** Has nothing that a command could read as its own syntax. */
const isPlain = (text: string) => /^[\w.:/@[\]-]+$/.test(text);

/** Undefined: there is no such command, it failed, or did not respond in time. */
function run(env: NodeJS.ProcessEnv, command: string, args: readonly string[], input = ""): string | undefined {
  try {
    return execFileSync(command, args, { env, input, timeout, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}
