import { describe, expect, it } from "vitest";
import { awkwardValues, sampleGuest } from "../../../test/support/guest/sample-guest.ts";
import { fc } from "../../../test/support/properties.ts";
import { fileSystemSerial, secretsDisk, secretsSerial } from "./disks.ts";
import { secretsEnd, secretsFor } from "./secrets.ts";

describe("the disk with the secrets", () => {
  it("is whole sectors, and ends where the text ends, whatever its length", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[A-Z]{1,9}$/), fc.string()), (envVars) => {
        const bytes = secretsDisk({ ...sampleGuest, envVars });
        expect(bytes.length % 512).toBe(0);
        expect(bytes.toString().trimStart()).toBe(secretsFor({ ...sampleGuest, envVars }));
        expect(bytes.toString().trimEnd().split("\n").at(-1)).toBe(secretsEnd);
      }),
    );
  });

  it.each(awkwardValues)("holds %j as it is", (value) => {
    const bytes = secretsDisk({ ...sampleGuest, envVars: { A: value }, password: "a 15-letter one" });
    expect(bytes.toString()).toContain(
      secretsFor({ ...sampleGuest, envVars: { A: value }, password: "a 15-letter one" }),
    );
  });
});

describe("serial numbers", () => {
  const id = "0190a5de-1111-7222-8333-444455556666";

  it("are no longer than virtio has room for, and differ as the ids do", () => {
    expect(fileSystemSerial(id)).toBe("0190a5de111172228333");
    expect([fileSystemSerial(id), secretsSerial].every((serial) => serial.length <= 20)).toBe(true);
    expect(fileSystemSerial("0190a5de-1111-7222-8334-444455556666")).not.toBe(fileSystemSerial(id));
  });

  it.each(["", "x", `${id}0`, "0190A5DE-1111-7222-8333-444455556666", "../../../etc/passwd"])(
    "are not made of %j",
    (text) => {
      expect(() => fileSystemSerial(text)).toThrow("BUG: a file system whose id is not a UUID");
    },
  );
});
