// Public keys for this module's tests: real ones from ssh-keygen, and constructed ones. Used by tests only.

import { wireString } from "../../src/rental/ssh-keys/wire.ts";

/** By type, with the fingerprint that `ssh-keygen -l` shows. Their private keys were deleted. */
export const realKeys = {
  "ssh-ed25519": {
    line: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBlgXkcTgZ4M9eGbZqx4fFrtNk/N89PMgoUOP+HDp7ZI ada@laptop",
    fingerprint: "SHA256:8pmDpAxXHjdD4Ojmb3R9Yv1pS9awo5URnnden+CiOec",
  },
  "ecdsa-sha2-nistp256": {
    line: "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBDF1t/NRISeS5l/b2ryZxrNHZ8bPJl7D7RMBCntXkCwrVfzyYER4yZ+yxi2kbaJOWKY8ddqPWq8l5Nsi0O4DYwc= ada e256",
    fingerprint: "SHA256:DVK0jWs03pOR9VKBh+VVJla9eiFCBdbLTpnYQMsT40Y",
  },
  "ecdsa-sha2-nistp384": {
    line: "ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBOSVsJkkvObHjA5B6ALhtxhBkIml248ZN0kxX3ZbQ7UNptWSO8cQl9w1DI7h03x0SrQhnYnIgxIZXQLNPsH6zZW5Nn1aPSUA1znDU4Uvhm+z6tiubHjhl+JlJhhVh6jc7A== ada e384",
    fingerprint: "SHA256:8E1n683vj3cxXEMM/iDQv9iYQ/PJ8FM2NJ4uGkRFI6E",
  },
  "ecdsa-sha2-nistp521": {
    line: "ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAEdlK/c7i2d4bUMs2OM/3cA7T2anHq9yRnBF/jtyaC3EL0hMsOw6awy558Zph/Q3Xm4aX4DnZeIELGihWH3mbvGYQAT4+uebUvmeZd+REkLCJOGnv9yO1w64UEa5wQELJ8htR8ugmGFtHpnBHeytNYwiJoaaQVg1cocS3MDtu+PNvMw4A== ada e521",
    fingerprint: "SHA256:P9JDiSDPJieqj1nBe/40iEWeNYIUQ+14qdG1IicWTJg",
  },
  "ssh-rsa": {
    line: "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCZT5Pe8t9XkmN8ALdxRRcerO44hiidqafk83590CjgMDGZPJGcOmIfG0pT8dObFlZn0T/pimBzpPQPCGS+GjocJmU4a1oVOVLPLn193pO8YzWS0Ag3C2ksuPPIVj9I816lOk0hKpoMHkEHoiBR/L1FNXpSL0fJGnw1lNiYwtONoiXxgGz/UlKPSn5bIjEJiym7F8bviV9bk0umFX1oJZkcZYjLTWr0yUY7UtQlUAnA0UvxIlTpks5zhSjq9SeTOGpbeaEaRTDTOxu18elEhY8nR7FPz/ldQM14aH/xDss6qroADL9YOdUlVkyDIYbSLeUbyMyQx2lQCnUyEK3k7HnP ada rsa",
    fingerprint: "SHA256:hzSGwWSS19Mmi+yJR73pNUV6geyQzMqO0yGuisGHH7I",
  },
} as const;

export const refusedKeys = {
  dsa: "ssh-dss AAAAB3NzaC1kc3MAAACBAKD3pkdEFAiZ6K9TRRIpXov9Z2ZObCWb7NF0V10aIHu8fQ+jBZxVFf1xwoCwlfA+Nrpy7jn+r8/2/JdZ9W/VcugXzjd0/A6boww72jtYE1SHe2GQbHqcgKaalsNAARcJ6A2Qd06rmBrWHSvheojrdS44wZMmTMbVH8Dt0JM+/HBnAAAAFQC88ZctZPAuYs5paI7LUBdNn+reJQAAAIA7dsI1/qW1mbIeTGvqVjf7vnfRJ/GIU5wNuY4Pe7fQw9J8NB00IAlyziuHTHP0tq8YCATT1AU/5My8kavgJ4X2byvuECs+k9qmuf0jimBHL+yT6ubEf1GzlXXgqEmfLx/yZYL3cQB59kDx9Xi9t11KMPDlmDmGMgr9z/4/auZdsQAAAIBXm/lkSUovtG7Pj/HcViuADcd8KhaWbFdf3Hp4u5rwAmyzSPWGmgScpqzlWW5swJqTh4LVnwvPCINpPkHbEkVufDQDETwNO7rrvCad7YbxK9KwiSJBV8ASZN5U5JwDXigkxsRiPgVPkJjdyxZWeL/e9AVIkRrzyB9fu+sA6TYggQ== dsa",
  weakRsa:
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDIvSPNEJ001bnf31CwlDTxceJG0eg31oiqwQYlVyW2lXLYZzVV4Nc5erTSVCKbDc8JF1TXDrEP7tLaE2RlJmwhBxnxQeHEIbELFm/eRfFHsW/z5H6w7PS2rstj4oIgR/JcQBr0LJ/xgoZo62CoMTZYnYoPc2q2p0xNVB7/k92SbQ== weak",
  certificate:
    "ecdsa-sha2-nistp256-cert-v01@openssh.com AAAAKGVjZHNhLXNoYTItbmlzdHAyNTYtY2VydC12MDFAb3BlbnNzaC5jb20AAAAg3OVO3EJeoJFEUs6HPWDZA06+q0yHcYLUH3dSOG2hz5oAAAAIbmlzdHAyNTYAAABBBDF1t/NRISeS5l/b2ryZxrNHZ8bPJl7D7RMBCntXkCwrVfzyYER4yZ+yxi2kbaJOWKY8ddqPWq8l5Nsi0O4DYwcAAAAAAAAAAAAAAAEAAAACaWQAAAAFAAAAAXUAAAAAAAAAAP//////////AAAAAAAAAIIAAAAVcGVybWl0LVgxMS1mb3J3YXJkaW5nAAAAAAAAABdwZXJtaXQtYWdlbnQtZm9yd2FyZGluZwAAAAAAAAAWcGVybWl0LXBvcnQtZm9yd2FyZGluZwAAAAAAAAAKcGVybWl0LXB0eQAAAAAAAAAOcGVybWl0LXVzZXItcmMAAAAAAAAAAAAAADMAAAALc3NoLWVkMjU1MTkAAAAgGWBeRxOBngz14ZtmrHh8Wu02T83z08yChQ4/4cOntkgAAABTAAAAC3NzaC1lZDI1NTE5AAAAQBwbN+dREH8DVtewnSjn2qhjPGS5vq8hYgC+ThGlak3o6HMHVf7+pyHGLxIiWSujdU1zjQGTcZqs6aS2X4OBFQQ= ada e256",
} as const;

/** A line of this type; its blob contains the name `inside` and these strings. */
export function lineOf(kind: string, parts: readonly (Buffer | string)[], inside = kind): string {
  return `${kind} ${Buffer.concat([inside, ...parts].map(wireString)).toString("base64")}`;
}

/** The blob of a line. */
export function blobOf(line: string): Buffer {
  return Buffer.from(line.split(" ")[1] ?? "", "base64");
}

/** A number's bytes as SSH writes them, without their length. */
export function integerBytes(value: bigint): Buffer {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
}

/** An RSA line with an odd modulus of this many bits, without a private key. */
export function rsaLine(bits: number, exponent = 65_537n): string {
  return lineOf("ssh-rsa", [integerBytes(exponent), integerBytes((1n << BigInt(bits - 1)) + 12_345n)]);
}
