// Prints the tests that a report of vitest says have failed, with the beginning of why: .ci/run shows them where it closes.
// Plain JavaScript, as the report is there also when nothing else could be loaded. What fails before or after tests is not
// in the report but in the output, the second argument.

import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

const LINES = 12;

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
const output = stripVTControlCharacters(readFileSync(process.argv[3], "utf8")).split("\n");
for (const file of report.testResults ?? []) {
  const failed = file.assertionResults.filter((test) => test.status === "failed");
  for (const test of failed) tell(`${file.name} > ${test.fullName}`, test.failureMessages.join("\n"), causeOf(test));
  if (file.status === "failed" && failed.length === 0) tell(file.name, file.message || fromOutput(file.name));
}

/** From the line "FAIL  project  path > what" on. */
function fromOutput(path) {
  const names = (line) => line.split(/\s+/).some((word) => word.includes(".test.") && path.endsWith(`/${word}`));
  const at = output.findIndex((line) => line.startsWith(" FAIL ") && names(line));
  return at === -1 ? "" : output.slice(at).join("\n");
}

/** The lines of what caused it, such as the failed assertion of a random history: in the output alone. */
function causeOf({ title }) {
  const failed = output.findIndex((line) => line.startsWith(" FAIL ") && line.endsWith(title));
  const lines = output.slice(failed + 1);
  const end = lines.findIndex((line) => line.startsWith("⎯⎯⎯⎯"));
  const from = lines.slice(0, end).findIndex((line) => line.startsWith("Caused by: "));
  return failed === -1 || from === -1 ? [] : lines.slice(from, end);
}

function tell(what, why, cause = []) {
  process.stdout.write(`FAILED ${what}\n`);
  for (const part of [why.split("\n"), cause]) {
    for (const line of part.slice(0, LINES)) process.stdout.write(`  ${line}\n`);
  }
}
