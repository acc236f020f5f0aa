import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { customerPart } from "./customer-data.ts";

const base64 = (data: string | Uint8Array) => Buffer.from(data).toString("base64");
const message = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\n#cloud-config\n--b--\n';

/** The text of a part whose kind cloud-init finds out itself. */
function plain(userData: string): string {
  const part = customerPart(userData);
  if (part === undefined || "message" in part) throw new Error("no plain part");
  expect(part.contentType).toBe("text/plain");
  return Buffer.from(part.body).toString("utf8");
}

describe("user-data", () => {
  it.each([
    "#cloud-config\nusers: [default]\n",
    "#!/bin/bash\r\necho 'ünï'\r\n",
    "#include\nhttps://example.com/more\n",
    "#cloud-config-archive\n- '#cloud-config'\n",
    "## template: jinja\n#cloud-config\n",
    "#cloud-config\n# MIME-Version: is only spoken of\n",
    "something else",
    "word",
    "deadbeef",
  ])("is left to cloud-init byte for byte: %j", (userData) => {
    expect(plain(userData)).toBe(userData);
  });

  it("that is a MIME message becomes a part as it is, because cloud-init would not look for one there", () => {
    expect(customerPart(message)).toEqual({ message });
    expect(customerPart(message.replaceAll("\n", "\r\n"))).toEqual({ message: message.replaceAll("\n", "\r\n") });
  });

  it("in Base64 is decoded", () => {
    expect(plain(base64("#cloud-config\nlocale: ü\n"))).toBe("#cloud-config\nlocale: ü\n");
    expect(customerPart(base64(message))).toEqual({ message });
  });

  it("in Base64 of gzip, with line breaks, is unpacked: Terraform's default", () => {
    const lines = base64(gzipSync(message)).replace(/.{20}/g, "$&\n");
    expect(customerPart(`${lines}\n`)).toEqual({ message });
    expect(plain(base64(gzipSync("#!/bin/sh\n")))).toBe("#!/bin/sh\n");
  });

  it("that is damaged gzip, or unpacks to far too much, is left as it is", () => {
    const damaged = base64(gzipSync(message).subarray(0, 30));
    expect(plain(damaged)).toBe(damaged);
    const bomb = base64(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
    expect(plain(bomb)).toBe(bomb);
  });

  it.each(["", " \n\t"])("of nothing is no part: %j", (userData) => {
    expect(customerPart(userData)).toBeUndefined();
  });
});
