// `lessor keys`: SSH keys (../ssh-keys.ts); for operators also the encryption keys of the service
// (../encryption-keys.ts), whose subcommands encryption, rotate and retire do not exist for SSH keys.

import type { Command } from "commander";
import { examples, type Shell, withJson } from "../shell.ts";
import { defineSshKeys } from "../ssh-keys.ts";

export function define(command: Command, shell: Shell): void {
  defineSshKeys(command, shell);
  const encryption = withJson(
    command
      .command("encryption")
      .helpGroup("Encryption keys, for operators (docs/how-to/operators/rotate-encryption-keys.md):")
      .description("list encryption keys and the number of values encrypted with each"),
  ).action(async ({ json }: { json: boolean }) => {
    const { listKeys, showEncryption } = await import("../encryption-keys.ts");
    if (json) return showEncryption(shell);
    await listKeys(shell.env, shell.out.line);
  });
  examples(encryption, { "lessor keys encryption": "before and after a rotation" });

  const rotate = command
    .command("rotate")
    .helpGroup("Encryption keys, for operators (docs/how-to/operators/rotate-encryption-keys.md):")
    .description("re-encrypt everything with a new key, online")
    .action(async () => (await import("../encryption-keys.ts")).rotateKeys(shell.env, shell.out.line));
  examples(rotate, { "lessor keys rotate": "waits until it finishes; safe to repeat" });

  const retire = command
    .command("retire")
    .helpGroup("Encryption keys, for operators (docs/how-to/operators/rotate-encryption-keys.md):")
    .description("remove an old encryption key that no value needs from the key file")
    .argument("<key-id>", "as lessor keys encryption shows it")
    .action(async (id: string) => (await import("../encryption-keys.ts")).retireKey(id, shell.env, shell.out.line));
  examples(retire, { "lessor keys retire 9f2c61d4": "keep a copy with older backups" });
}
