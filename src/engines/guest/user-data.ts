// The cloud-init user-data of a guest: a MIME multi-part message of our boot script, our cloud-config, the customer's
// command and the customer's own user-data, in this order.
//
// Invariants. No secret stands in it: engines store it in plaintext. Everything that must happen is in the boot script, a
// boot hook, which cloud-init runs at every boot before the SSH server starts: keys of cloud-config (users, write_files,
// runcmd) are replaced by those of the customer, a later part, and that is how it should be.
// The data source must not be set to run in cloud-init's local stage (`dsmode: local`): that is before the network.

import type { GuestSpec } from "../engine.ts";
import { bootScript, type Delivery } from "./boot-script.ts";
import { customerPart } from "./customer-data.ts";
import { multipart } from "./mime.ts";

/** The whole user-data. Throws "BUG: …" for names in the guest that were never checked. */
export function userDataFor(guest: GuestSpec, delivery: Delivery): string {
  const { command, userData } = guest;
  const customers = userData === undefined ? undefined : customerPart(userData);
  return multipart([
    {
      contentType: "text/cloud-boothook",
      fileName: "lessor-boot",
      // cloud-init takes the first line away. It is not needed in a message, but every example has it.
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
 * What keeps cloud-init from undoing or slowing what the boot script does; a customer may override all of it. Written as
 * JSON, which is YAML.
 */
function cloudConfig({ hostname, loginUser }: GuestSpec): string {
  const config = {
    // Else it makes the distribution's default user. An empty list means the same, but breaks the schema of 22.4.
    users: {},
    // Else it names the machine as the engine does, after the boot script has named it.
    hostname,
    // The boot script has made new host keys. cloud-init would do so again, an RSA key of a second's work among them, and
    // would never finish a first boot that a power cut ended there: its mark is set before the work.
    ssh_deletekeys: false,
    ssh_genkeytypes: ["ed25519", "ecdsa"],
    // cloud-init disables keys of root otherwise.
    ...(loginUser === "root" ? { disable_root: false } : {}),
    // Keeps the image's own. Without the package `locales`, setting one is an error. A text: the schema knows no boolean.
    locale: "false",
  };
  return `#cloud-config\n${JSON.stringify(config, undefined, 1)}\n`;
}

/**
 * cloud-init runs it once, as root, after everything else of the first boot. Where the first line ends in CR LF, cloud-init
 * turns all of them into LF (otherwise no kernel would find the interpreter); every other text is run byte for byte.
 */
function asScript(command: string): string {
  return command.startsWith("#!") ? command : `#!/bin/sh\n${command}`;
}
