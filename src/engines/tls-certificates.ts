// When the certificates of a TLS connection to a host expire: the host's, and ours. Used by the engines that open such
// connections themselves, for the health of hosts.

import type { X509Certificate } from "node:crypto";
import { TLSSocket } from "node:tls";
import { certificateFinding, type HostFinding } from "../rules/host-health.ts";

export interface Expiry {
  /** For operators, such as "The certificate of the server". */
  readonly which: string;
  readonly expires: Date;
}

/** Of a connected socket; none for one without TLS. */
export function expiriesOf(socket: object): readonly Expiry[] {
  if (!(socket instanceof TLSSocket)) return [];
  return [
    ...expiryOf("The certificate of the server", socket.getPeerX509Certificate()),
    ...expiryOf("The certificate of Lessor", socket.getX509Certificate()),
  ];
}

/** The findings about those that expire soon. */
export function expiringSoon(expiries: readonly Expiry[], now = new Date()): HostFinding[] {
  return expiries.flatMap(({ which, expires }) => certificateFinding(which, expires, now) ?? []);
}

function expiryOf(which: string, certificate: X509Certificate | undefined): readonly Expiry[] {
  return certificate === undefined ? [] : [{ which, expires: new Date(certificate.validTo) }];
}
