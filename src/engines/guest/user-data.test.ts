import { describe, expect, it } from "vitest";
import { partsOf } from "../../../test/support/guest/mime-reader.ts";
import { sampleGuest } from "../../../test/support/guest/sample-guest.ts";
import type { GuestSpec } from "../engine.ts";
import { bootScript } from "./boot-script.ts";
import { userDataFor } from "./user-data.ts";

const parts = (changes: Partial<GuestSpec> = {}) => partsOf(userDataFor({ ...sampleGuest, ...changes }, "file"));
const types = (changes: Partial<GuestSpec>) =>
  parts(changes).map(({ headers }) => headers["content-type"]?.split(";")[0]);
const body = (type: string, changes: Partial<GuestSpec> = {}) =>
  parts(changes).find(({ headers }) => headers["content-type"]?.startsWith(type))?.body;
const config = (changes: Partial<GuestSpec> = {}): object =>
  JSON.parse((body("text/cloud-config", changes) ?? "").replace(/^#cloud-config\n/, ""));

describe("the user-data of a guest", () => {
  it("is our boot hook and our settings, then the command, then what the customer wrote, which so wins", () => {
    expect(types({})).toEqual(["text/cloud-boothook", "text/cloud-config"]);
    expect(types({ command: "id", userData: "#cloud-config\n" })).toEqual([
      "text/cloud-boothook",
      "text/cloud-config",
      "text/x-shellscript",
      "text/plain",
    ]);
  });

  it("has the boot script as its boot hook", () => {
    expect(body("text/cloud-boothook")).toBe(`#cloud-boothook\n${bootScript(sampleGuest, "file")}`);
  });

  it("holds no secret, in no encoding, and does not change with one", () => {
    const secrets = { envVars: { HIDDEN_NAME: "hidden-value" }, password: "hidden-pass", jupyterToken: "hidden-token" };
    const decoded = parts(secrets)
      .map((part) => part.body)
      .join("\n");
    expect(decoded).not.toMatch(/hidden/i);
    for (const secret of ["hidden-value", "hidden-pass", "hidden-token"]) {
      expect(decoded).not.toContain(Buffer.from(secret).toString("base64").slice(0, 12));
    }
    const others = { envVars: { OTHER: "x" }, password: "y", jupyterToken: "z" };
    expect(userDataFor({ ...sampleGuest, ...secrets }, "file")).toBe(
      userDataFor({ ...sampleGuest, ...others }, "file"),
    );
  });

  it("is the same for the same guest, so that an engine can compare", () => {
    expect(userDataFor(sampleGuest, "file")).toBe(userDataFor({ ...sampleGuest }, "file"));
  });

  it("takes a customer's MIME message in whole", () => {
    const userData = 'Content-Type: multipart/mixed; boundary="b"\nMIME-Version: 1.0\n\n--b\n\n#!/bin/sh\n--b--\n';
    expect(userDataFor({ ...sampleGuest, userData }, "file")).toContain(`\n${userData}\n`);
    expect(parts({ userData }).at(-1)?.body).toBe("#!/bin/sh");
  });
});

describe("the command", () => {
  it.each([
    "echo 'it''s' \"ü\"\r\necho $HOME\r\n",
    "no line break at the end",
    "\n  #! is not in the first column\n",
    "--boundary\n--boundary--\n",
  ])("without an interpreter is run by sh, byte for byte: %j", (command) => {
    expect(body("text/x-shellscript", { command })).toBe(`#!/bin/sh\n${command}`);
  });

  it.each(["#!/usr/bin/env python3\nprint('ü')\n", "#!/bin/bash\r\nid\r\n"])(
    "keeps its own interpreter: %j",
    (command) => {
      expect(body("text/x-shellscript", { command })).toBe(command);
    },
  );

  it("of nothing is no part", () => {
    expect(types({ command: "" })).not.toContain("text/x-shellscript");
  });
});

describe("our settings of cloud-init", () => {
  it("keep it from making users, naming the machine otherwise, and making host keys again", () => {
    expect(config()).toEqual({
      users: {},
      hostname: "trainer-1234abcd",
      ssh_deletekeys: false,
      ssh_genkeytypes: ["ed25519", "ecdsa"],
      locale: "false",
    });
  });

  it("leave root's keys alone where root is the login user", () => {
    expect(config({ loginUser: "root" })).toMatchObject({ disable_root: false });
  });
});

describe("a name that was never checked", () => {
  it.each<Partial<GuestSpec>>([
    { loginUser: "a b" },
    { loginUser: "x:y" },
    { hostname: "a\nb" },
    { hostname: "" },
    { sshKeys: ["ssh-ed25519 A\nssh-ed25519 B"] },
    { fileSystems: [{ id: "1", name: "data", sizeGb: 1, mountPoint: "/mnt/.." }] },
    { fileSystems: [{ id: "1", name: "data", sizeGb: 1, mountPoint: "mnt/a" }] },
    { fileSystems: [{ id: "1", name: "data", sizeGb: 1, mountPoint: "/mnt/a b" }] },
  ])("is a bug: %j", (changes) => {
    expect(() => userDataFor({ ...sampleGuest, ...changes }, "file")).toThrow(/^BUG: /);
  });
});
