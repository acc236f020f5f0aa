// That `lessor engine check`, as a process of its own, ends by itself as soon as it has said everything: whatever a
// cluster holds open, nothing is waited for, and nobody has to end the process by force.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/engine-calls.ts";
import { type Lessor, spawnLessor } from "../support/lessor.ts";
import { beginOperatorStand, type OperatorStand } from "../support/operator-stand.ts";

function check(op: OperatorStand, ...args: string[]): Lessor {
  return spawnLessor(op.directory, { LESSOR_CONFIG: join(op.directory, "lessor.yaml") }, "engine", "check", ...args);
}

/** Waits for the summary, and then not much longer for the exit. Gives the exit code. */
async function ended(lessor: Lessor, summary: string): Promise<number | null> {
  await eventually(() => lessor.output()).toContain(summary);
  await expect.poll(() => lessor.process.exitCode, { interval: 5, timeout: 3000 }).not.toBeNull();
  return lessor.process.exitCode;
}

/** A shell that says that it reaches itself and nothing that it must not, and of which no socket is ever closed. */
async function holdShellOpen({ stand: { fake } }: OperatorStand): Promise<void> {
  await eventually(() => fake.sessions[0]?.data !== undefined && fake.sessions[0].control !== undefined).toBe(true);
  const [session] = fake.sessions;
  if (session?.data === undefined || session.control === undefined) throw new Error("BUG: it was just there");
  session.end = () => {};
  for (const socket of [session.data, session.control]) socket.holdsOn = true;
  const silent = Array.from({ length: 10 }, (_, index) => `t${index}=silent\r\n`);
  session.data.sendBytes(
    Buffer.from(`shell=reads\r\nown=reached\r\ncontrol=reached\r\n${silent.join("")}all=said\r\n`),
  );
}

describe("the program, when the check is over, ends by itself", () => {
  it("with 0 where the cluster is fit", async () => {
    const op = await beginOperatorStand();
    expect(await ended(check(op, "--no-probe"), "north is ready.")).toBe(0);
  });

  it("with 1 where it is not", async () => {
    const op = await beginOperatorStand();
    op.configure({ pool: "nope" });
    expect(await ended(check(op), "north is not ready")).toBe(1);
  });

  it("with 2 where there is nothing to check", async () => {
    const op = await beginOperatorStand();
    expect(await ended(check(op, "west"), "The settings have no engine west")).toBe(2);
  });

  it("though the cluster holds the shell of a probe machine open", async () => {
    const op = await beginOperatorStand();
    const lessor = check(op);
    await holdShellOpen(op);
    expect(await ended(lessor, "north is ready.")).toBe(0);
    expect(lessor.output()).toMatch(/^ok +isolation on m1 +one machine does not reach another on the same host, /m);
    expect(op.stand.fake.world.instances.size).toBe(0);
  });
});
