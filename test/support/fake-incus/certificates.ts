// Where the throwaway keys and certificates of the tests are (certificates/README.md), and their fingerprints.

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export type CertificateName = "server" | "other" | "ca" | "signed" | "client";

export function certificatePath(name: CertificateName): string {
  return join(import.meta.dirname, "certificates", `${name}.crt`);
}

/** Of "ca" there is no such file. */
export function keyPath(name: CertificateName): string {
  return join(import.meta.dirname, "certificates", `${name}.key`);
}

/** SHA-256, 64 hex digits in lower case. */
export function fingerprint(name: CertificateName): string {
  return new X509Certificate(readFileSync(certificatePath(name))).fingerprint256.replaceAll(":", "").toLowerCase();
}
