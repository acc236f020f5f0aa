// How people log in to an instance, as the control interface tells it, and who is shown a password.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, idOf, startControl } from "../../../../test/support/control.ts";
import { untilOthersEnded } from "../../../../test/support/interleave.ts";
import { isLive, states } from "../../../rules/lifecycle.ts";

let control: Control;
let mine: Awaited<ReturnType<Control["customer"]>>;
/** A token of the same account that may only read. */
let readOnly: string;
beforeAll(async () => {
  control = await startControl();
  const { world } = control;
  mine = await control.customer();
  const body = { name: "reader", scopes: ["read"] };
  readOnly = ((await control.data("POST", "/tokens", { token: mine.token, body })) as { token: string }).token;
  await world.host({ name: "host-a", region: "north", gpus: 0, vcpus: 400, memoryGib: 4000, storageGb: 40_000 });
  await world.image({ name: "ubuntu" });
  await world.product({ name: "cpu", gpus: 0 });
  await world.sshKey(mine.principal, "laptop");
});
afterAll(() => control.close());

const launched = (body: object) =>
  control.data("POST", "/instances", { token: mine.token, body: { instance_type: "cpu", ...body } });
async function launchedOne(body: object): Promise<string> {
  const [one] = (await launched(body)) as unknown[];
  return idOf(one);
}
const read = (id: string, token = mine.token) => control.data("GET", `/instances/${id}`, { token });

describe("the way to log in", () => {
  it.each([
    [{ ssh_key_names: ["laptop"] }, "ssh_key"],
    [{ ssh_key_names: ["laptop"], password_without_keys: true }, "ssh_key"],
    [{ password_without_keys: true }, "password"],
    [{ command: "true" }, "unknown"],
    [{ user_data: "#!/bin/sh\ntrue\n" }, "unknown"],
    [{}, "none"],
  ])("after a launch with %j is: %s", async (body, login) => {
    expect(await launched(body)).toMatchObject([{ login }]);
  });

  it("is told for a simulated machine too, which says that it is one", async () => {
    expect(await launched({})).toMatchObject([{ simulated: true }]);
    const id = await launchedOne({});
    await control.world.db.updateTable("instances").set({ engine: "rack-1" }).where("id", "=", id).execute();
    expect(await read(id)).toMatchObject({ simulated: false });
  });
});

describe("a password", () => {
  it("is shown to tokens of the account with the scope write, in a read of the instance, and is the one D shows", async () => {
    const id = await launchedOne({ password_without_keys: true, command: "touch /ready" });
    const { password } = (await read(id)) as { password: string };
    expect(password).toMatch(/^[1-9]\d{14}$/);
    expect(await read(id)).toMatchObject({ command: "touch /ready" });
    const direct = await control.call("GET", `${control.direct}/instance/${id}`, { token: mine.token });
    expect(direct.body).toMatchObject({ runningInstance: { password: Number(password) } });
  });

  /** What D shows a token that may only read, after it has shown the same to one that may write. */
  async function fromDirect(id: string) {
    const paths = [`${control.direct}/instance/${id}`, `${control.direct}/instance`];
    for (const path of paths) await control.call("GET", path, { token: mine.token });
    return Promise.all(paths.map((path) => control.call("GET", path, { token: readOnly })));
  }

  it("is shown to nobody else, and nowhere else", async () => {
    const id = await launchedOne({ password_without_keys: true, command: "touch /secret-marker" });
    const { password } = (await read(id)) as { password: string };
    await untilOthersEnded(control.world.db); // Events are shown from then on.
    const asked = [
      await control.ask("GET", `/instances/${id}`, { token: readOnly }),
      await control.ask("GET", `/instances/${id}`),
      await control.ask("GET", "/instances", { token: mine.token }),
      await control.ask("POST", `/instances/${id}/stop`, { token: mine.token }),
      await control.ask("GET", `/audit-log?object=${id}`, { token: mine.token }),
      await control.ask("GET", "/events?limit=1000", { token: mine.token }),
    ];
    for (const { status, text } of asked) {
      expect(status).toBe(200);
      expect(text).not.toContain(password);
      expect(text).not.toContain("secret-marker");
    }
    for (const { status, text } of await fromDirect(id)) {
      expect(status).toBe(200);
      expect(text).toContain(id);
      expect(text).not.toContain(password);
    }
  });

  it.each(states)("of an instance that is %s is shown only while it is live", async (state) => {
    const id = await launchedOne({ password_without_keys: true });
    await control.world.put(id, state);
    const shown = (await read(id)) as { password: string | null; login: string };
    expect([shown.password === null, shown.login]).toEqual([!isLive[state], "password"]);
    const { body } = await control.call("GET", `${control.direct}/instance/${id}`, { token: mine.token });
    expect(body).toMatchObject({ runningInstance: { password: isLive[state] ? Number(shown.password) : 0 } });
  });
});
