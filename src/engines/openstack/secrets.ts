// Delivers a guest's secrets through its server's metadata, which the guest reads over its network
// (guest/boot-script.sh), and removes them there once the guest has them. Used by start.ts and engine.ts.
//
// Not by user data, which Nova keeps for as long as the server exists, nor on the config drive, which has the metadata of
// the server's creation. Limits: until the guest is ready the project's members can read them, and Nova's database keeps
// deleted rows until its operator purges them.

import { gzipSync } from "node:zlib";
import { EngineError, type GuestSpec, type MachineSpec } from "../engine.ts";
import { secretsFor } from "../guest/secrets.ts";
import type { Server } from "./api.ts";
import type { Cloud, Region } from "./cloud.ts";
import { isSecretKey, keys, secretKey } from "./labels.ts";

/** Nova's limit of one value, in characters. */
const PIECE = 255;
/** Of the 128 items that Nova allows by default. */
const MOST_PIECES = 120;

/** In one request: the guest sees all of it or nothing. Throws as Client.call, EngineError secrets-too-large (refused). */
export async function tell(
  { client }: Cloud,
  { place }: Region,
  server: Server,
  { guest }: MachineSpec,
  signal: AbortSignal,
): Promise<void> {
  const metadata = {
    ...Object.fromEntries(piecesOf(guest).map((piece, index) => [secretKey(index), piece])),
    [keys.told]: "true",
  };
  await client.call(place.compute, `/servers/${server.id}/metadata`, { method: "POST", body: { metadata } }, signal);
}

/** Throws EngineError secrets-too-large (refused). */
export function piecesOf(guest: GuestSpec): readonly string[] {
  const encoded = gzipSync(secretsFor(guest)).toString("base64");
  const pieces = encoded.match(new RegExp(`.{1,${PIECE}}`, "g")) ?? [];
  if (pieces.length <= MOST_PIECES) return pieces;
  throw new EngineError("refused", "secrets-too-large", "The environment variables are larger than the cloud takes.");
}

export function hasSecrets({ metadata }: Server): boolean {
  return Object.keys(metadata).some(isSecretKey);
}

/** Can be repeated at any time. Throws as Client.call. */
export async function forgetSecrets(
  { client }: Cloud,
  { place }: Region,
  server: Server,
  signal: AbortSignal,
): Promise<void> {
  const metadata = Object.fromEntries(Object.entries(server.metadata).filter(([key]) => !isSecretKey(key)));
  await client.call(place.compute, `/servers/${server.id}/metadata`, { method: "PUT", body: { metadata } }, signal);
}
