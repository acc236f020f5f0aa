// `lessor keys encryption`, `rotate` and `retire`: the encryption keys of a running service, by id, through its control
// interface, which never carries a key itself.

import { setTimeout as sleep } from "node:timers/promises";
import type { Shape } from "../client/client.ts";
import { CommandError } from "./command-error.ts";
import { type ControlClient, clientFromEnvironment } from "./connection/control-client.ts";
import { printJson, type Shell } from "./shell.ts";

type Print = (line: string) => void;

/** Lists the keys, the current one, and how many values are encrypted with each. Throws CommandError. */
export async function listKeys(env: NodeJS.ProcessEnv, print: Print): Promise<void> {
  const { keys, keys_from, rotation } = await encryptionOf(clientFromEnvironment(env));
  for (const key of keys) for (const line of keyLines(key)) print(line);
  print(keys_from === "file" ? "The keys come from the key file." : "The keys come from LESSOR_ENCRYPTION_KEY.");
  if (rotation?.state === "running") print(`A rotation is in progress: ${progress(rotation)}`);
}

/** The same, as the API returns it. Throws CommandError. */
export async function showEncryption(shell: Shell): Promise<void> {
  printJson(shell, await encryptionOf(shell.client()));
}

/** Re-encrypts everything, with a new key if the service creates one, and waits for the end. Throws CommandError. */
export async function rotateKeys(env: NodeJS.ProcessEnv, print: Print, everyMs = 500): Promise<void> {
  const client = clientFromEnvironment(env);
  let { data: rotation } = await client.ask((api) => api.POST("/encryption/rotate", {}));
  if (!rotation.makes_key) {
    print(
      "No new key is created: the keys come from LESSOR_ENCRYPTION_KEY, or another replica is running. Values of older keys",
    );
    print("are re-encrypted with the first key. To add a key, see docs/how-to/operators/rotate-encryption-keys.md.");
  }
  let said = "";
  while (rotation.state === "running") {
    if (progress(rotation) !== said) print(progress(rotation));
    said = progress(rotation);
    await sleep(everyMs);
    rotation = (await encryptionOf(client)).rotation ?? rotation;
  }
  if (rotation.state === "incomplete") throw new CommandError(rotation.problem ?? "The rotation did not finish.");
  print(`Re-encrypted ${rotation.resealed} values. All values are encrypted with key ${rotation.key_id}.`);
  const old = (await encryptionOf(client)).keys.filter((key) => key.known && key.id !== rotation.key_id);
  for (const { id } of old) print(`Only backups need key ${id}. To remove it: lessor keys retire ${id}`);
}

/** Removes an old key from the key file. Throws CommandError. */
export async function retireKey(keyId: string, env: NodeJS.ProcessEnv, print: Print): Promise<void> {
  await clientFromEnvironment(env).ask((api) => api.POST("/encryption/retire", { body: { key_id: keyId } }));
  print(`Key ${keyId} was removed from the key file. Backups from before the rotation still need it.`);
}

async function encryptionOf(client: ControlClient): Promise<Shape<"Encryption">> {
  return (await client.ask((api) => api.GET("/encryption"))).data;
}

function* keyLines({ id, current, known, values, kinds }: Shape<"Encryption">["keys"][number]): Generator<string> {
  const words = [current ? "current" : "", known ? "" : "missing here"].filter(Boolean).join(", ");
  yield `${id}  ${(values === 1 ? "1 value" : `${values} values`).padEnd(14)} ${words}`.trimEnd();
  for (const [kind, count] of Object.entries(kinds)) yield `  ${kind}: ${count}`;
}

function progress({ resealed, problem }: Shape<"Rotation">): string {
  return problem === null ? `${resealed} values re-encrypted so far.` : `Waiting: ${problem}`;
}
