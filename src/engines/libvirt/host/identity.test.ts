import { describe, expect, it } from "vitest";
import type { Virsh } from "../virsh/virsh.ts";
import { readHostIdentity } from "./identity.ts";

const signal = new AbortController().signal;
const pool = (uuid: string) => `<pool type='dir'>\n  <name>p</name>\n  <uuid>${uuid}</uuid>\n</pool>\n`;

/** A host that prints this, whatever it is asked. */
function host(text: string): { virsh: Virsh; asked: unknown[] } {
  const asked: unknown[] = [];
  const unasked = () => {
    throw new Error("BUG: not asked for here");
  };
  const all: Virsh["all"] = async (commands) => {
    asked.push(...commands);
    return text;
  };
  return { virsh: { all, call: unasked, bytes: unasked, follow: unasked, console: unasked }, asked };
}

describe("who a host is", () => {
  it("is its name and its pool, in one process", async () => {
    const { virsh, asked } = host(`gpu-1\n${pool("7d9b")}`);
    expect(await readHostIdentity(virsh, { pool: "my pool" }, signal)).toBe("gpu-1/7d9b");
    expect(asked).toEqual([["hostname"], ["pool-dumpxml", "my pool"]]);
  });

  it("differs where either does", async () => {
    const texts = [`a\n${pool("1")}`, `b\n${pool("1")}`, `a\n${pool("2")}`];
    const who = await Promise.all(texts.map((text) => readHostIdentity(host(text).virsh, { pool: "p" }, signal)));
    expect(new Set(who).size).toBe(3);
  });

  it.each(["", "gpu-1\n", "gpu-1\n<pool/>", `gpu-1\n${pool("")}`])("is not made of %j", async (text) => {
    await expect(readHostIdentity(host(text).virsh, { pool: "p" }, signal)).rejects.toThrow("which pool it has");
  });
});
