// What operators and customers decide about maintenance windows: two operators at once, changes of a window that lasts, and
// deferring within the limit. What windows do: maintenance-windows.test.ts.

import { describe, expect, it } from "vitest";
import { beginIfDue } from "../../src/rental/maintenance/begin-end.ts";
import { deferWindow } from "../../src/rental/maintenance/defer.ts";
import { changeWindow, removeWindow, scheduleWindows } from "../../src/rental/maintenance/schedule.ts";
import { readWindow } from "../../src/rental/maintenance/window-store.ts";
import { begin, untilWaiting } from "../support/interleave.ts";
import { inHours, maintenanceOfFile } from "../support/maintenance.ts";
import { changingNothing, refusal } from "../support/refusals.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();
const on = maintenanceOfFile(stage);

describe("operators", () => {
  it("at once schedule one of two that overlap, and the other is told", async () => {
    await using first = await begin(stage.db);
    const order = {
      host: on.host,
      selector: undefined,
      deferrableUntil: null,
      reason: "first",
      mode: "nothing" as const,
      beginsAt: inHours(1),
      endsAt: inHours(2),
    };
    const [winner] = await scheduleWindows(first.tx, order, on.by);
    const second = refusal("conflict", on.schedule({ beginsAt: inHours(1.5) }));
    await untilWaiting(stage.db);
    await first.commit();
    expect((await second).message).toContain(`has the maintenance window ${winner?.id} from`);
  });

  it("at once change one window: the second is told that it has changed", async () => {
    const { id, revision } = await on.schedule();
    await using first = await begin(stage.db);
    await changeWindow(first.tx, id, { endsAt: inHours(4), revision });
    const change = { endsAt: inHours(5), revision };
    const second = refusal(
      "conflict",
      stage.world.tx((tx) => changeWindow(tx, id, change)),
    );
    await untilWaiting(stage.db);
    await first.commit();
    expect((await second).message).toContain("has changed since revision 1");
  });

  it("who cancel while it begins are told, or nothing begins", async () => {
    const { id } = await on.schedule();
    await travel(stage.db, "1 hour");
    await using first = await begin(stage.db);
    await removeWindow(first.tx, id, undefined);
    const began = stage.world.tx((tx) => beginIfDue(tx, id));
    await untilWaiting(stage.db);
    await first.commit();
    expect(await began).toBe(false);
    expect((await on.read()).state).toBe("up");
    await refusal(
      "conflict",
      stage.world.tx((tx) => removeWindow(tx, id, undefined)),
    );
  });

  it("move the end of one that lasts, or end it now, and change nothing else of it", async () => {
    const one = await on.active();
    const { id } = await on.schedule();
    await on.later(1);
    await refusal(
      "conflict",
      stage.world.tx((tx) => changeWindow(tx, id, { reason: "another" })),
    );
    await refusal(
      "conflict",
      stage.world.tx((tx) => changeWindow(tx, id, { beginsAt: inHours(1) })),
    );
    await stage.world.tx((tx) => changeWindow(tx, id, { endsAt: inHours(8) }));
    await on.later(3);
    expect((await on.read()).state).toBe("maintenance");
    await stage.world.tx((tx) => removeWindow(tx, id, undefined));
    expect((await on.read()).state).toBe("up");
    await on.run();
    expect(await stage.state(one.id)).toBe("active");
    expect(await on.toldTo(id, one.principal.accountId)).toEqual(["scheduled", "started", "scheduled", "ended"]);
  });
});

describe("customers", () => {
  const defer = (one: Launched, id: string, until?: Date) =>
    stage.world.tx((tx) => deferWindow(tx, one.principal.accountId, id, until));

  it("defer a window within the limit, with its length, for everyone on the host", async () => {
    const [ada, eve] = [await on.active(), await on.active()];
    const { id, deferrableUntil } = await on.schedule({ deferrableUntil: inHours(10) });
    const deferred = await defer(ada, id, inHours(4));
    expect(deferred).toMatchObject({ deferredAt: expect.any(Date), revision: 2, instanceIds: [ada.id] });
    expect(deferred.endsAt.getTime() - deferred.beginsAt.getTime()).toBe(2 * 3_600_000);
    expect(await on.toldTo(id, eve.principal.accountId)).toEqual(["scheduled", "scheduled"]);
    await on.later(1);
    expect(await stage.state(ada.id)).toBe("active");
    expect((await defer(eve, id)).beginsAt).toEqual(new Date((deferrableUntil?.getTime() ?? 0) - 3_600_000));
    await refusal("conflict", defer(ada, id));
  });

  it("repeat a deferral, which changes nothing", async () => {
    const one = await on.active();
    const { id } = await on.schedule({ deferrableUntil: inHours(10) });
    const { beginsAt } = await defer(one, id);
    await changingNothing(stage.db, () => defer(one, id, beginsAt));
  });

  it("defer by no small steps, each of which all on the host would be told of, but to the limit", async () => {
    const one = await on.active();
    const { id, beginsAt } = await on.schedule({ deferrableUntil: inHours(1.4) });
    const shifted = (minutes: number) => new Date(beginsAt.getTime() + minutes * 60_000);
    await changingNothing(stage.db, async () => {
      for (const minutes of [0.001, 1, 14.9]) {
        const { fields } = await refusal("invalid-parameters", defer(one, id, shifted(minutes)));
        expect(fields).toMatchObject({ until: { message: expect.stringContaining("at least 15 minutes after") } });
      }
    });
    expect((await defer(one, id, shifted(15))).beginsAt).toEqual(shifted(15));
    expect((await defer(one, id)).deferredAt).toEqual(expect.any(Date));
    await refusal("conflict", defer(one, id));
  });

  it("defer neither beyond the limit nor to earlier, nor late, nor where there is no limit, nor into another window", async () => {
    const one = await on.active();
    const { id } = await on.schedule({ deferrableUntil: inHours(10) });
    await on.schedule({ beginsAt: inHours(6), endsAt: inHours(7) });
    const fixed = await on.schedule({ beginsAt: inHours(20), endsAt: inHours(21) });
    await changingNothing(stage.db, async () => {
      expect(await refusal("invalid-parameters", defer(one, id, inHours(11)))).toMatchObject({ fields: { until: {} } });
      expect(await refusal("invalid-parameters", defer(one, id, inHours(0.5)))).toMatchObject({
        fields: { until: {} },
      });
      expect((await refusal("conflict", defer(one, id, inHours(5)))).message).not.toContain(on.host);
      await refusal("conflict", defer(one, fixed.id));
    });
    await travel(stage.db, "55 minutes");
    expect((await refusal("conflict", defer(one, id, inHours(3)))).message).toContain("in less than 10 minutes");
    await on.later(1);
    await refusal("conflict", defer(one, id, inHours(3)));
  });

  it("know nothing of windows of other hosts", async () => {
    const one = await on.active();
    const other = await stage.host();
    const { id } = await on.schedule({ host: other, deferrableUntil: inHours(10) });
    expect(await refusal("unknown-object", defer(one, id))).toMatchObject({ what: "maintenance window" });
    await refusal("unknown-object", readWindow(stage.db, id, one.principal.accountId));
    expect(await on.toldTo(id, one.principal.accountId)).toEqual([]);
  });
});
