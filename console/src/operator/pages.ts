// The pages of operators, for sessions whose token has that scope. Used by ../pages.ts.

import type { ConsolePage } from "../pages.ts";

export const operatorPages: readonly ConsolePage[] = [];
