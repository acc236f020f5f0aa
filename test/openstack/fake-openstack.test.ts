// The fake that `npm test` makes use of (support/fake-openstack) answers as the lab's real services do, and as they did when
// their answers were recorded.

import { expect, inject, it } from "vitest";
import { askAs } from "../support/fake-openstack/asking.ts";
import { beginFakeSite } from "../support/fake-openstack/fake-site.ts";
import { recorded, type Site, transcript } from "../support/fake-openstack/transcript.ts";
import { volumeTranscript } from "../support/fake-openstack/transcript-volumes.ts";
import { adminCredentials } from "./lab/api.ts";
import { labOf } from "./lab/lab.ts";
import { passwordOf } from "./lab/seed.ts";

const lab = labOf(inject("openStackLab"));

async function realSite(): Promise<Site> {
  const { authUrl, ids } = lab;
  const { projectId, userId, password, credentialId, credentialSecret } = ids.tenant;
  return {
    authUrl,
    admin: await askAs({ authUrl, auth: adminCredentials }),
    member: await askAs({ authUrl, auth: passwordOf(userId, password, projectId) }),
    memberProject: projectId,
    credential: { id: credentialId, secret: credentialSecret },
    network: ids.networkId,
    floatingNetwork: ids.floatingNetworkId,
    image: ids.imageId,
    pauseMs: 200,
  };
}

/** Whether rules have empty descriptions depends on what a Neutron has loaded; the engine reads none. */
function plain(lines: readonly string[]): string[] {
  return lines.map((line) =>
    line.includes("/security-group") ? line.replaceAll(/"description":(null|""),/g, "") : line,
  );
}

it("the real services answer as the fake does", async () => {
  const real = plain(await transcript(await realSite()));
  expect(real).toEqual(plain(await transcript(await beginFakeSite())));
  expect(real).toEqual(plain(recorded("recorded.txt")));
  expect(await lab.orphans()).toEqual([]);
});

it("about volumes too", async () => {
  const real = await volumeTranscript(await realSite());
  expect(real).toEqual(await volumeTranscript(await beginFakeSite()));
  expect(real).toEqual(recorded("recorded-volumes.txt"));
  expect(await lab.orphans()).toEqual([]);
});
