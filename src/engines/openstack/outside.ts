// What lies outside of some networks, as networks: a security group can allow, but not forbid. Used by security-groups.ts.

import ipaddr from "ipaddr.js";

/** Addresses that begin with the same bits. */
interface Prefix {
  readonly first: bigint;
  /** How many bits are the same. */
  readonly length: number;
}

/**
 * All addresses of the IP version that none of the networks has, in as few networks as possible, in CIDR notation.
 * `networks`: in CIDR notation too, of any version.
 */
export function outside(version: 4 | 6, networks: readonly string[]): string[] {
  const bits = version === 4 ? 32 : 128;
  const without = networks.flatMap((network): Prefix[] => {
    const [address, length] = ipaddr.parseCIDR(network);
    return address.kind() === `ipv${version}` ? [{ first: valueOfBytes(address.toByteArray()), length }] : [];
  });
  const all: readonly Prefix[] = [{ first: 0n, length: 0 }];
  const left = without.reduce((parts, one) => parts.flatMap((part) => cut(part, one, bits)), all);
  return left.map(({ first, length }) => `${ipaddr.fromByteArray(bytesOf(first, bits / 8))}/${length}`);
}

/** What is left of the part without the other. */
function cut(part: Prefix, other: Prefix, bits: number): Prefix[] {
  const common = BigInt(bits - Math.min(part.length, other.length));
  if (part.first >> common !== other.first >> common) return [part];
  if (other.length <= part.length) return [];
  const length = part.length + 1;
  const half = 1n << BigInt(bits - length);
  return [part.first, part.first + half].flatMap((first) => cut({ first, length }, other, bits));
}

function valueOfBytes(bytes: readonly number[]): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function bytesOf(value: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, at) => Number((value >> BigInt(8 * (count - 1 - at))) & 255n));
}
