import { describe, expect, it } from "vitest";
import type { buildImage } from "../images/build.ts";
import { ImageError } from "../images/image-error.ts";
import { CommandError } from "./command-error.ts";
import { imageBuild } from "./image-build.ts";

type Build = typeof buildImage;

async function command(
  build: Build,
  part: { kind?: string; output?: string; metrics?: boolean } = {},
): Promise<string[]> {
  const said: string[] = [];
  await imageBuild("debian-12", { kind: "container", ...part }, (line) => said.push(line), build);
  return said;
}

describe("lessor image build", () => {
  it("puts the image here, by its name, unless it is told where, and says where it is", async () => {
    const build: Build = async ({ output, log }) => {
      log("working");
      return `/here/${output}`;
    };
    expect(await command(build)).toEqual(["working", "/here/debian-12.tar.zst is ready."]);
    expect(await command(build, { output: "mine.tar.zst" })).toEqual(["working", "/here/mine.tar.zst is ready."]);
  });

  it("builds the kind that is asked for, in a file that is called accordingly", async () => {
    const build: Build = async ({ output, kind }) => `${kind} in /here/${output}`;
    expect(await command(build, { kind: "virtual-machine" })).toEqual([
      "virtual-machine in /here/debian-12.qcow2 is ready.",
    ]);
  });

  it("puts the agent for metrics into it where that is asked for, and says what else that takes", async () => {
    const build: Build = async ({ metrics }) => `with${metrics === true ? "" : "out"}`;
    expect(await command(build)).toEqual(["without is ready."]);
    expect(await command(build, { metrics: true })).toEqual(["with is ready.", expect.stringMatching("metrics: true")]);
  });

  it("refuses a kind that it does not know, with those it does", async () => {
    const build: Build = () => Promise.reject(new Error("BUG: started"));
    await expect(command(build, { kind: "vm" })).rejects.toMatchObject({
      message: 'There is no kind of image "vm".',
      suggestion: "Choose one of: container, virtual-machine.",
    });
  });

  it("tells why it cannot, and what to do", async () => {
    const refuse: Build = () => Promise.reject(new ImageError("mmdebstrap is missing.", "Install it."));
    const failure = await command(refuse).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CommandError);
    expect(failure).toMatchObject({ message: "mmdebstrap is missing.", suggestion: "Install it." });
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "ends the build at %s, and no longer listens for it afterwards",
    async (name) => {
      const before = process.listenerCount(name);
      const build: Build = ({ signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
          process.emit(name);
        });
      await expect(command(build)).rejects.toThrow("Interrupted. All partial output was removed.");
      expect(process.listenerCount(name)).toBe(before);
    },
  );
});
