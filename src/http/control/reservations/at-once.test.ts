import { expect, it } from "vitest";
import { AtOnce } from "./at-once.ts";

it("runs some of each account and of all at once, rejects more, and runs again when one has ended or failed", async () => {
  const atOnce = new AtOnce();
  const open: PromiseWithResolvers<void>[] = [];
  const start = (account: string) => {
    const work = Promise.withResolvers<void>();
    open.push(work);
    return atOnce.run(account, () => work.promise);
  };
  const ofAnn = Array.from({ length: 4 }, () => start("ann"));
  await expect(start("ann")).rejects.toMatchObject({ details: { overloaded: true } });
  const ofOthers = ["bob", "bob", "carl", "dora"].map(start);
  await expect(start("eve")).rejects.toMatchObject({ details: { overloaded: true } });
  open[0]?.resolve();
  await ofAnn[0];
  open[1]?.reject(new Error("no hosts"));
  await expect(ofAnn[1]).rejects.toThrow("no hosts");
  const again = [start("eve"), start("ann")];
  await expect(start("eve")).rejects.toMatchObject({ details: { overloaded: true } });
  for (const work of open) work.resolve();
  await Promise.all([...ofAnn.slice(2), ...ofOthers, ...again]);
});
