import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { checkMountPoint, defaultMountPoint, overlapping } from "./mount-points.ts";

describe("a mount point", () => {
  it.each([
    "/data",
    "/data/models",
    "/lambda/nfs/models",
    "/home/ubuntu/models",
    "/mnt/models",
    "/opt/a_b.c-d/e",
    "/root/work",
    "/_x",
    "/etcetera",
    `/${"x".repeat(253)}`,
    defaultMountPoint("models.v2"),
  ])("may be %s", (path) => {
    expect(checkMountPoint(path)).toBeUndefined();
  });

  it.each([
    "",
    "/",
    "//data",
    "data",
    "./data",
    "/data/",
    "/data//x",
    "/data/./x",
    "/data/../etc",
    "/..",
    "/.ssh",
    "/home/ubuntu/.ssh",
    "/-rf",
    "/a b",
    "/a\nb",
    "/a:b",
    "/a'b",
    "/a$b",
    "/ä",
    "/a\u0000",
    "~/data",
  ])("that is no plain absolute path is refused: %j", (path) => {
    expect(checkMountPoint(path)).toMatch(/absolute path/);
  });

  it.each(["/etc", "/etc/ssh", "/usr/local", "/var/lib/lessor", "/proc", "/dev/shm", "/boot", "/tmp/x", "/run/x"])(
    "over what the system needs is refused: %s",
    (path) => {
      expect(checkMountPoint(path)).toMatch(/system/);
    },
  );

  it.each(["/home", "/mnt", "/media", "/opt", "/srv", "/root"])("over what holds others is refused: %s", (path) => {
    expect(checkMountPoint(path)).toBe(`Choose a place below ${path}.`);
  });

  it("over a home directory is refused: it would hide the keys that SSH looks for", () => {
    expect(checkMountPoint("/home/ubuntu")).toMatch(/below \/home\/ubuntu/);
  });

  it("has a length that engines and guests know", () => {
    expect(checkMountPoint(`/${"x".repeat(254)}`)).toMatch(/254/);
    expect(checkMountPoint(`/${"x".repeat(1_000_000)}`)).toMatch(/254/);
  });
});

describe("mount points of one instance", () => {
  const at = (...paths: string[]) => paths.map((mountPoint) => ({ mountPoint }));

  it.each([[[]], [["/a"]], [["/a", "/b"]], [["/data", "/data2", "/data-x", "/data.x"]], [["/a/b", "/a/c", "/a/bc"]]])(
    "may lie side by side: %j",
    (paths) => {
      expect(overlapping(at(...paths))).toBeUndefined();
    },
  );

  it.each([
    [
      ["/a", "/a"],
      ["/a", "/a"],
    ],
    [
      ["/a/b", "/a"],
      ["/a", "/a/b"],
    ],
    [
      ["/data/x", "/data-x", "/data"],
      ["/data", "/data/x"],
    ],
  ])("of which one is or lies in another are told: %j", (paths, told) => {
    expect(overlapping(at(...paths))?.map(({ mountPoint }) => mountPoint)).toEqual(told);
  });

  it("are told as comparing all with all would tell", () => {
    const path = fc.array(fc.constantFrom("a", "b", "a-", "a.b"), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), (parts) => {
        const paths = parts.map((one) => `/${one.join("/")}`);
        const clash = paths.some((one, i) => paths.some((two, j) => i !== j && `${two}/`.startsWith(`${one}/`)));
        expect(overlapping(at(...paths)) !== undefined).toBe(clash);
      }),
    );
  });
});
