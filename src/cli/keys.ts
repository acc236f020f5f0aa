// `lessor keys list`, `rotate` and `retire`: the encryption keys of a running service, by their ids, through its control
// interface. A key itself never comes this way.

import { setTimeout as sleep } from "node:timers/promises";
import { CommandError, type ControlClient, clientFromEnvironment } from "./control-client.ts";
import { isRecord } from "./record.ts";

type Print = (line: string) => void;

/** Which keys there are, which one seals, and how much is sealed with each. Throws CommandError. */
export async function listKeys(env: NodeJS.ProcessEnv, print: Print): Promise<void> {
  const { keys, keysFrom, rotation } = await encryptionOf(clientFromEnvironment(env));
  for (const key of keys) for (const line of keyLines(key)) print(line);
  print(keysFrom === "file" ? "The keys come from the key file." : "The keys come from LESSOR_ENCRYPTION_KEY.");
  if (rotation?.state === "running") print(`A rotation is under way: ${progress(rotation)}`);
}

/** Re-encrypts everything, with a new key where the service makes one, and waits for the end. Throws CommandError. */
export async function rotateKeys(env: NodeJS.ProcessEnv, print: Print, everyMs = 500): Promise<void> {
  const client = clientFromEnvironment(env);
  let rotation = rotationFrom(await client.call("POST", "/encryption/rotate", {}));
  if (!rotation.makesKey) {
    print(
      "No new key is made: the keys come from LESSOR_ENCRYPTION_KEY, or another server runs. What older keys sealed",
    );
    print(
      "is re-encrypted with the first one. How a new key comes in: docs/operating.md, Changing the encryption key.",
    );
  }
  let said = "";
  while (rotation.state === "running") {
    if (progress(rotation) !== said) print(progress(rotation));
    said = progress(rotation);
    await sleep(everyMs);
    rotation = (await encryptionOf(client)).rotation ?? rotation;
  }
  if (rotation.state === "incomplete") throw new CommandError(rotation.problem ?? "The rotation was not finished.");
  print(`Everything is sealed with key ${rotation.keyId} now; ${rotation.resealed} values were re-encrypted.`);
  const old = (await encryptionOf(client)).keys.filter((key) => key.known && key.id !== rotation.keyId);
  for (const { id } of old) print(`Nothing needs key ${id} but backups: lessor keys retire ${id}`);
}

/** Removes an old key from the key file. Throws CommandError. */
export async function retireKey(keyId: string, env: NodeJS.ProcessEnv, print: Print): Promise<void> {
  await clientFromEnvironment(env).call("POST", "/encryption/retire", { key_id: keyId });
  print(`Key ${keyId} is no longer in the key file. Backups of before the rotation still need it.`);
}

interface Key {
  readonly id: string;
  readonly current: boolean;
  readonly known: boolean;
  readonly values: number;
  readonly kinds: readonly (readonly [kind: string, count: unknown])[];
}

interface Rotation {
  readonly state: string;
  readonly makesKey: boolean;
  readonly keyId: string;
  readonly resealed: number;
  readonly problem: string | undefined;
}

async function encryptionOf(client: ControlClient) {
  const data = recordFrom(await client.call("GET", "/encryption"));
  const keys = Array.isArray(data.keys) ? data.keys : [];
  return {
    keysFrom: String(data.keys_from),
    keys: keys.map(keyFrom),
    rotation: isRecord(data.rotation) ? rotationFrom(data.rotation) : undefined,
  };
}

function keyFrom(value: unknown): Key {
  const key = recordFrom(value);
  return {
    id: String(key.id),
    current: key.current === true,
    known: key.known === true,
    values: Number(key.values),
    kinds: Object.entries(isRecord(key.kinds) ? key.kinds : {}),
  };
}

function rotationFrom(value: unknown): Rotation {
  const rotation = recordFrom(value);
  return {
    state: String(rotation.state),
    makesKey: rotation.makes_key === true,
    keyId: String(rotation.key_id),
    resealed: Number(rotation.resealed),
    problem: typeof rotation.problem === "string" ? rotation.problem : undefined,
  };
}

function recordFrom(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new CommandError("The answer is not this service's.", "Check LESSOR_URL.");
}

function* keyLines({ id, current, known, values, kinds }: Key): Generator<string> {
  const words = [current ? "current" : "", known ? "" : "missing here"].filter(Boolean).join(", ");
  yield `${id}  ${(values === 1 ? "1 value" : `${values} values`).padEnd(14)} ${words}`.trimEnd();
  for (const [kind, count] of kinds) yield `  ${kind}: ${String(count)}`;
}

function progress({ resealed, problem }: Rotation): string {
  return problem === undefined ? `${resealed} values re-encrypted so far.` : `Waiting: ${problem}`;
}
