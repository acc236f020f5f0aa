// A server as far as its encryption keys go, on a World: for tests of keys that change while several servers run.
//
//   const server = await keyServer(world, { keys: [key] });        // in its own key file
//   const other = await keyServer(world, { keys: [key], from: "environment" });
//   await server.seal();                                           // a row with sealed values, made with its ring
//   await server.until((status) => status.rotation?.finishedAt !== null);

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import { Encryption, type EncryptionParts, type EncryptionStatus } from "../../src/encryption/encryption.ts";
import type { Instance } from "../../src/rental/instances/instance.ts";
import type { Principal } from "../../src/rental/service.ts";
import { loadOrCreateKeyFile } from "../../src/secrets/key-file.ts";
import { KeyRing } from "../../src/secrets/key-ring.ts";
import { launch } from "./launch-all.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { launchOrder, type World } from "./world.ts";

export interface KeyServerOptions {
  readonly keys: readonly Buffer[];
  /** Where its keys are; "file" unless told. */
  readonly from?: "file" | "environment";
  /** A file that is there already, instead of one with `keys`. */
  readonly keyFile?: string;
  readonly parts?: Partial<EncryptionParts>;
}

export type KeyServer = Awaited<ReturnType<typeof keyServer>>;

/** One that has joined; it is stopped after the test. Throws WrongKey. */
export async function keyServer(world: World, options: KeyServerOptions) {
  const { from = "file" } = options;
  const keyFile = from === "environment" ? undefined : (options.keyFile ?? (await writeKeyFile(options.keys)));
  const keyRing = new KeyRing(keyFile === undefined ? options.keys : loadOrCreateKeyFile(keyFile));
  const logged: string[] = [];
  const log = pino({ level: "debug" }, { write: (line) => void logged.push(line) });
  const encryption = new Encryption({
    db: world.db,
    keyRing,
    keyFile,
    log,
    version: "1.2.3",
    alone: false,
    lookSeconds: 0.02,
    batchSize: 3,
    ...options.parts,
  });
  await encryption.start();
  onTestFinished(() => encryption.stop());
  let principal: Principal | undefined;
  return {
    encryption,
    keyRing,
    keyFile: keyFile ?? "",
    logged,
    stop: () => encryption.stop(),
    status: () => encryption.status(world.db),
    rotate: () => world.tx((tx) => encryption.rotate(tx)),
    retire: (keyId: string) => world.tx((tx) => encryption.retire(tx, keyId)),

    /** An instance with env values and a password, sealed with this server's ring. There have to be room, image and product. */
    async seal(instanceType: string): Promise<Instance> {
      principal ??= await world.account();
      const order = launchOrder({ instanceType, envVars: { SECRET: "hunter2" }, passwordWithoutKeys: true });
      const service = { ...world.service, keyRing };
      const made = await world.tx((tx) => launch(tx, service, principal ?? fail(), order));
      return made[0] ?? fail();
    },

    /** Looks until it is so. */
    async until(so: (status: EncryptionStatus) => boolean): Promise<EncryptionStatus> {
      for (;;) {
        const status = await encryption.status(world.db);
        if (so(status)) return status;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
}

export const rotated = ({ rotation }: EncryptionStatus): boolean =>
  rotation !== undefined && rotation.finishedAt !== null;

/** A key file with these keys, gone after the test. */
export async function writeKeyFile(keys: readonly Buffer[]): Promise<string> {
  const path = join(await temporaryDirectory(), "encryption.key");
  writeFileSync(path, `# keys\n${keys.map((key) => key.toString("base64")).join("\n")}\n`);
  chmodSync(path, 0o600);
  return path;
}

function fail(): never {
  throw new Error("BUG: a launch of one makes one");
}
