// Signing secrets: `whsec_` and 32 random bytes in base64, as Standard Webhooks 1.0.0 has them (24 to 64 bytes). Shown at
// creation and rotation only, and sealed for their row and column. After a rotation the former one signs too for a while.

import { randomBytes } from "node:crypto";
import type { KeyRing } from "../../secrets/key-ring.ts";

export const secretPrefix = "whsec_";

export function newSecret(): string {
  return `${secretPrefix}${randomBytes(32).toString("base64")}`;
}

/** What the secrets of a webhook's row are sealed for. */
export const secretContext = (webhookId: string) => `webhook:${webhookId}:secret`;
export const previousSecretContext = (webhookId: string) => `webhook:${webhookId}:previous_secret`;

/** The columns that secrets are in. */
export interface EncryptedSecrets {
  readonly id: string;
  readonly secret_sealed: string;
  /** Null where it signs no more. */
  readonly previous_secret_sealed: string | null;
}

/** What signs, the newest first. */
export function openSecrets(keyRing: KeyRing, row: EncryptedSecrets): string[] {
  const secrets = [keyRing.openText(row.secret_sealed, secretContext(row.id))];
  if (row.previous_secret_sealed !== null) {
    secrets.push(keyRing.openText(row.previous_secret_sealed, previousSecretContext(row.id)));
  }
  return secrets;
}
