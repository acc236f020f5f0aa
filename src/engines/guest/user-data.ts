// The cloud-init user-data of a guest: a MIME multi-part message of our boot script, our cloud-config, the customer's
// command and the customer's user-data, in this order.
//
// Invariants. It contains no secret: engines store it in plaintext. Everything essential is in the boot script, a boot
// hook that cloud-init runs at every boot before the SSH server starts: the customer's part is later, so its
// cloud-config keys (users, write_files, runcmd) replace ours, as intended. The data source must not run in
// cloud-init's local stage (`dsmode: local`), which is before the network.

import type { GuestSpec } from "../engine.ts";
import { bootScript, type Delivery } from "./boot-script.ts";
import { customerPart } from "./customer-data.ts";
import { multipart } from "./mime.ts";

/** The whole user-data. Throws "BUG: …" for names that were not validated. */
export function userDataFor(guest: GuestSpec, delivery: Delivery): string {
  const { command, userData } = guest;
  const customers = userData === undefined ? undefined : customerPart(userData);
  return multipart([
    {
      contentType: "text/cloud-boothook",
      fileName: "lessor-boot",
      // cloud-init removes the first line. It is optional in a message, but customary.
      body: Buffer.from(`#cloud-boothook\n${bootScript(guest, delivery)}`, "utf8"),
    },
    { contentType: "text/cloud-config", fileName: "lessor-config", body: Buffer.from(cloudConfig(guest), "utf8") },
    ...(command === undefined || command === ""
      ? []
      : [
          {
            contentType: "text/x-shellscript",
            fileName: "lessor-command",
            body: Buffer.from(asScript(command), "utf8"),
          },
        ]),
    ...(customers === undefined ? [] : [customers]),
  ]);
}

/**
 * Prevents cloud-init from undoing or slowing down the boot script; customers can override all of it. JSON, which is
 * valid YAML.
 */
function cloudConfig({ hostname, loginUser }: GuestSpec): string {
  const config = {
    // Prevents the distribution's default user. An empty list would too, but violates the schema of 22.4.
    users: {},
    // Otherwise it replaces the boot script's host name by the engine's.
    hostname,
    // The boot script creates host keys. cloud-init would do so again, including a slow RSA key, and would not repeat
    // it after a power cut during first boot: it sets its mark before the work.
    ssh_deletekeys: false,
    ssh_genkeytypes: ["ed25519", "ecdsa"],
    // Otherwise cloud-init disables root's keys.
    ...(loginUser === "root" ? { disable_root: false } : {}),
    // Keeps the image's locale. Without the package `locales`, setting one fails. A string, because the schema allows no boolean.
    locale: "false",
  };
  return `#cloud-config\n${JSON.stringify(config, undefined, 1)}\n`;
}

/**
 * cloud-init runs it once, as root, after the rest of the first boot. If the first line ends in CR LF, cloud-init
 * converts all lines to LF (otherwise the kernel would not find the interpreter); other texts stay byte for byte.
 */
function asScript(command: string): string {
  return command.startsWith("#!") ? command : `#!/bin/sh\n${command}`;
}
