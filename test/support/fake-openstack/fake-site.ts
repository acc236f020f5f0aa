// The fake as the transcript (transcript.ts) needs it.

import { askFake, passwordOf } from "./asking.ts";
import { beginStand } from "./stand.ts";
import type { Site } from "./transcript.ts";

export async function beginFakeSite(): Promise<Site> {
  const stand = await beginStand();
  const { fake, world, otherProject, network, floatingNetwork, image } = stand;
  world.hosts.addAggregate("gpus", "gpu-az", ["gpu1", "gpu2"]);
  const member = fake.identity.addUser("member", "secret", [[otherProject, ["member"]]]);
  const { id, secret } = fake.identity.addCredential(member, otherProject, "lessor");
  return {
    authUrl: fake.authUrl,
    admin: await askFake(stand),
    member: await askFake(stand, passwordOf("member", "secret", "other")),
    memberProject: otherProject.id,
    credential: { id, secret },
    network: network.id,
    floatingNetwork: floatingNetwork.id,
    image: image.id,
    pauseMs: 5,
  };
}
