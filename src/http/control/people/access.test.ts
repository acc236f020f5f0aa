// What a person has open ends when the role or the membership ends, on whatever server that was changed; and roles that do
// not rent see no secrets of instances, cached or not.

import { describe, expect, it } from "vitest";
import { openStream } from "../../../../test/support/event-source.ts";
import { type RunningHttp, startHttp } from "../../../../test/support/http.ts";
import { personIn } from "../../../../test/support/people.ts";
import { terminalsOfFile } from "../../../../test/support/terminals-fixture.ts";
import type { TeamRole } from "../../../rules/roles.ts";

const fixture = terminalsOfFile();

const team = () => fixture.customer.principal.accountId;

/** Another server on the same database, while `act` runs. */
async function elsewhere(act: (other: RunningHttp, owner: string) => Promise<unknown>): Promise<void> {
  const other = await startHttp(fixture.world);
  try {
    await act(other, (await personIn(fixture.world, team(), "owner")).token);
  } finally {
    await other.close();
  }
}

const remove = (id: string) =>
  elsewhere((other, token) => other.call("DELETE", `${other.control}/members/${id}`, { token }));
const change = (id: string, role: TeamRole) =>
  elsewhere((other, token) => other.call("PATCH", `${other.control}/members/${id}`, { token, body: { role } }));

describe("a terminal of a person", () => {
  it("ends when the person is removed on another server, and the team's goes on", async () => {
    await fixture.start();
    const member = await personIn(fixture.world, team(), "member");
    const [own, ofTeam] = [await fixture.open(member.token), await fixture.open()];
    await remove(member.id);
    expect(await own.ended).toMatchObject({ code: 4001 });
    expect(ofTeam.socket.readyState).toBe(ofTeam.socket.OPEN);
  });

  it("ends when the role does not rent any more, and not with another role that does", async () => {
    await fixture.start();
    const [lowered, raised] = [
      await personIn(fixture.world, team(), "member"),
      await personIn(fixture.world, team(), "member"),
    ];
    const [ends, stays] = [await fixture.open(lowered.token), await fixture.open(raised.token)];
    await change(raised.id, "admin");
    await change(lowered.id, "billing");
    expect(await ends.ended).toMatchObject({ code: 4001 });
    expect(stays.socket.readyState).toBe(stays.socket.OPEN);
  });
});

describe("a stream of a person", () => {
  it("ends when the person is removed on another server, and not when the role changes", async () => {
    await fixture.start({}, { streams: { checkMs: 50 } });
    const viewer = await personIn(fixture.world, team(), "member");
    const stream = await openStream(`${fixture.http.control}/events/stream`, viewer.token);
    await change(viewer.id, "viewer");
    expect(stream.ended).toBe(false);
    await remove(viewer.id);
    await expect.poll(() => stream.ended).toBe(true);
  });
});

describe("the secrets of instances", () => {
  /** What is shown of an instance: by M's list of its notebook, by D and by the control interface of its password. */
  async function seen(id: string, token: string) {
    const { http } = fixture;
    const list = await http.call("GET", `${http.marketplace}/instances`, { token });
    const read = await http.call("GET", `${http.direct}/instance/${id}`, { token });
    const full = await http.call("GET", `${http.control}/instances/${id}`, { token });
    const { data: listed } = list.body as { data: { id: string; jupyter_token: string }[] };
    const { runningInstance } = read.body as { runningInstance: { password: number } };
    const { data } = full.body as { data: { password?: string; command?: string } };
    return {
      notebook: listed.find((one) => one.id === id)?.jupyter_token,
      password: runningInstance.password,
      ...{ sameOfControl: data.password, command: data.command },
    };
  }
  const nothing = { notebook: "", password: 0 };

  it("are shown to roles that rent, and to no others, whatever was cached and whatever the role was before", async () => {
    const jupyterUrlTemplate = "https://{id}.example.com/?token={token}";
    await fixture.start({}, { config: { jupyterUrlTemplate } });
    const { world, http, customer } = fixture;
    await world.host({ gpus: 1 });
    const [image, product] = [await world.image({ jupyter: true }), await world.product({ gpus: 1 })];
    const order = { instance_type: product.name, image: image.name, password_without_keys: true, command: "true" };
    const { body } = await http.call("POST", `${http.control}/instances`, { token: customer.token, body: order });
    const id = (body as { data: { id: string }[] }).data[0]?.id ?? "";
    const [member, viewer] = [
      await personIn(fixture.world, team(), "member"),
      await personIn(fixture.world, team(), "viewer"),
    ];
    const before = await seen(id, member.token);
    expect(before).toEqual({
      notebook: expect.stringMatching(/^[0-9a-f]{48}$/),
      password: Number(before.sameOfControl),
      sameOfControl: expect.stringMatching(/^[0-9]{15}$/),
      command: "true",
    });
    for (let twice = 0; twice < 2; twice++) {
      expect(await seen(id, viewer.token)).toEqual(nothing);
      expect(await seen(id, member.token)).toEqual(before);
    }
    await change(member.id, "viewer");
    expect(await seen(id, member.token)).toEqual(nothing);
    await change(viewer.id, "member");
    expect(await seen(id, viewer.token)).toEqual(before);
  });
});
