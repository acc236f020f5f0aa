import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { askFake, passwordOf } from "./asking.ts";
import { beginStand } from "./stand.ts";
import { transcript } from "./transcript.ts";

it("the fake answers as the services of Zed did when their answers were recorded", async () => {
  const cloud = await beginStand();
  const { fake, world, otherProject, network, floatingNetwork, image } = cloud;
  world.hosts.addAggregate("gpus", "gpu-az", ["gpu1", "gpu2"]);
  const member = fake.identity.addUser("member", "secret", [[otherProject, ["member"]]]);
  const { id, secret } = fake.identity.addCredential(member, otherProject, "lessor");
  const answers = await transcript({
    authUrl: fake.authUrl,
    admin: await askFake(cloud),
    member: await askFake(cloud, passwordOf("member", "secret", "other")),
    memberProject: otherProject.id,
    credential: { id, secret },
    network: network.id,
    floatingNetwork: floatingNetwork.id,
    image: image.id,
    pauseMs: 5,
  });
  const recorded = readFileSync(join(import.meta.dirname, "recorded.txt"), "utf8");
  expect(answers).toEqual(recorded.trimEnd().split("\n"));
});
