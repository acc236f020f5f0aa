// Prints the tests that a report of vitest says have failed, with the beginning of why: .ci/run shows them where it closes.
// Plain JavaScript, as the report is there also when nothing else could be loaded.

import { readFileSync } from "node:fs";

const LINES = 12;

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const file of report.testResults ?? []) {
  const failed = file.assertionResults.filter((test) => test.status === "failed");
  for (const test of failed) tell(`${file.name} > ${test.fullName}`, test.failureMessages.join("\n"));
  if (file.status === "failed" && failed.length === 0) tell(file.name, file.message);
}

function tell(what, why) {
  process.stdout.write(`FAILED ${what}\n`);
  for (const line of why.split("\n").slice(0, LINES)) process.stdout.write(`  ${line}\n`);
}
