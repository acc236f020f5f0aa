// A launch as it waits to be done together with others.

import type { Asked, Instance } from "../../rental/instances/index.ts";
import type { ChangeRequest } from "../api/change.ts";
import type { Response } from "../api/idempotency.ts";

export interface LaunchRequest extends ChangeRequest {
  readonly asked: Asked;
  readonly answerWith: (launched: readonly Instance[]) => Response;
}
