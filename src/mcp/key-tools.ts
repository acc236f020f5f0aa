// SSH keys. No key pair is generated here: its private half would stay in the agent's transcript.

import { Type } from "typebox";
import { checked, KeyRecord, KeyRecords } from "./records.ts";
import { tool } from "./tool.ts";

export const listKeys = tool("reads", {
  name: "list_ssh_keys",
  title: "List SSH keys",
  description: "Lists the SSH public keys of the account. Launches use their names.",
  input: Type.Object({}),
  async run({ service }) {
    const keys = checked(
      KeyRecords,
      await service.call({ interface: "marketplace", method: "GET", path: "/ssh-keys" }),
    );
    const lines = keys.map(({ id, name }) => `${name} [${id}]`);
    return { text: lines.length === 0 ? "No SSH keys." : lines.join("\n"), data: { ssh_keys: keys } };
  },
});

export const addKey = tool("makes", {
  name: "add_ssh_key",
  title: "Add an SSH key",
  description: "Adds a public key to the account, for use in launches. Never send a private key.",
  input: Type.Object({
    name: Type.String({ description: "Unique in the account." }),
    public_key: Type.String({ description: "One line, as in an authorized_keys file: ssh-ed25519 AAAA…" }),
  }),
  async run({ input, service }) {
    const key = checked(
      KeyRecord,
      await service.call({ interface: "marketplace", method: "POST", path: "/ssh-keys", body: input }),
    );
    return { text: `Added ${key.name} [${key.id}].`, data: { ssh_key: key } };
  },
});

export const deleteKey = tool("destroys", {
  name: "delete_ssh_key",
  title: "Delete an SSH key",
  description: "Deletes a public key from the account. Instances launched with it keep it.",
  input: Type.Object({ ssh_key_id: Type.String({ description: "The key's ID, as list_ssh_keys shows it." }) }),
  async run({ input, service }) {
    const path = `/ssh-keys/${encodeURIComponent(input.ssh_key_id)}`;
    await service.call({ interface: "marketplace", method: "DELETE", path });
    return { text: "Deleted.", data: {} };
  },
});
