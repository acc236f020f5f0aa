// What a client of the cluster's HTTPS API needs: a certificate that the cluster trusts, and the server's fingerprint.

import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../support/lab/run.ts";
import { lxc } from "./cluster.ts";
import type { Layout } from "./layout.ts";

export interface ClientCertificate {
  /** PEM files. */
  readonly certificate: string;
  readonly key: string;
  /** The cluster's own certificate, which every member shows; a PEM file. */
  readonly serverCertificate: string;
  /** SHA-256 of it, 64 hex digits in lower case. */
  readonly serverFingerprint: string;
}

/** Makes it and has the cluster trust it; the same at every later call. */
export async function clientCertificate(layout: Layout): Promise<ClientCertificate> {
  const [first] = layout.members;
  if (first === undefined) throw new Error("BUG: a lab without members");
  const certificate = join(layout.directory, "client.crt");
  const key = join(layout.directory, "client.key");
  if (!existsSync(certificate)) {
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-sha256"];
    const subject = ["-subj", `/CN=${layout.prefix}`, "-days", "30"];
    await run("openssl", ["req", "-x509", ...kind, ...subject, "-keyout", key, "-out", certificate]);
    await lxc(layout, first, ["config", "trust", "add", certificate, "--name", layout.prefix]);
  }
  const serverCertificate = join(first.lxdDir, "cluster.crt");
  const { fingerprint256 } = new X509Certificate(readFileSync(serverCertificate));
  return { certificate, key, serverCertificate, serverFingerprint: fingerprint256.replaceAll(":", "").toLowerCase() };
}
