// Signing secrets: `whsec_` and 32 random bytes in base64, as in Standard Webhooks 1.0.0 (24 to 64 bytes). Shown only
// at creation and rotation, and encrypted for their row and column. After a rotation the previous one also signs for a
// while.

import { randomBytes } from "node:crypto";
import type { KeyRing } from "../../secrets/key-ring.ts";

export const secretPrefix = "whsec_";

export function newSecret(): string {
  return `${secretPrefix}${randomBytes(32).toString("base64")}`;
}

/** The encryption contexts of a webhook's secrets. */
export const secretContext = (webhookId: string) => `webhook:${webhookId}:secret`;
export const previousSecretContext = (webhookId: string) => `webhook:${webhookId}:previous_secret`;

export interface EncryptedSecrets {
  readonly id: string;
  readonly secret_sealed: string;
  /** Null if it no longer signs. */
  readonly previous_secret_sealed: string | null;
}

/** The secrets that sign, newest first. */
export function openSecrets(keyRing: KeyRing, row: EncryptedSecrets): string[] {
  const secrets = [keyRing.openText(row.secret_sealed, secretContext(row.id))];
  if (row.previous_secret_sealed !== null) {
    secrets.push(keyRing.openText(row.previous_secret_sealed, previousSecretContext(row.id)));
  }
  return secrets;
}
