import { expect, it } from "vitest";
import { countQueries } from "./query-log.ts";

it("counts statements, simple and prepared, and nothing else that PostgreSQL logs", () => {
  const log = [
    "LOG:  statement: begin",
    "LOG:  execute kq3xyz: update instances set lease_owner = gen_random_uuid()",
    "      where id = $1",
    "DETAIL:  parameters: $1 = '5'",
    "LOG:  execute <unnamed>: select 1",
    "LOG:  statement: listen lessor_work",
    "LOG:  statement: commit",
    "LOG:  statement: alter system set log_statement = 'all'",
    "LOG:  checkpoint starting: time",
    "ERROR:  duplicate key",
  ].join("\n");
  expect(countQueries(log)).toBe(3);
});
