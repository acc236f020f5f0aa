import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { FakeLibvirt } from "./fake-libvirt.ts";
import { transcript } from "./transcript.ts";

it("the fake answers as libvirt 9.0 did when its answers were recorded", async () => {
  const fake = new FakeLibvirt({ hosts: ["h1"] });
  onTestFinished(() => fake.close());
  const virsh = fake.virsh(fake.world.host("h1").uri);
  const addresses = ["127.66.1.201", "127.66.1.202"] as const;
  const answers = await transcript({ virsh, network: "default", addresses }, AbortSignal.timeout(10_000));
  const recorded = readFileSync(join(import.meta.dirname, "recorded.txt"), "utf8");
  expect(answers).toEqual(recorded.trimEnd().split("\n"));
});
