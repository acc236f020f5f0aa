// fast-check, with the same choices in every run: a test that passed passes again, and what fails can be run again.
// LESSOR_TEST_SEED=<number> makes other choices, to look for what these do not find.
// Every test of properties imports it from here; test/codebase/imports.test.ts holds that.

import fc from "fast-check";
import { chosenSeed } from "./random.ts";

fc.configureGlobal({ seed: chosenSeed });

export { fc };
