// Control interface: where operators say on which hosts, by their labels, an instance may be placed. Labels are the
// operators' own, such as a rack: a token without their scope may not ask by them, because the response would tell it
// which there are. Used by launches and quotes.

import { Type } from "typebox";
import type { HostSelector } from "../../rental/hosts/labels.ts";
import { parseTagFilter } from "../../rental/instances/tags.ts";
import type { Principal } from "../../rental/service.ts";
import * as limit from "../api/documented-limits.ts";
import { HttpError } from "../errors/api-error.ts";

const name = "host_selector";

export const HostSelectorText = Type.String({
  ...limit.tagFilter,
  description:
    "For tokens with the scope `operator`: only on hosts with these labels, `key=value` or `key`, separated by commas. " +
    "Default: on any host.",
  examples: ["rack=r12"],
});

/** Throws RentalError invalid-parameters. */
export function hostSelectorFrom(text: string): HostSelector {
  return parseTagFilter(text, name);
}

/** Throws HttpError forbidden for a selector of a token that may not choose hosts. */
export function refuseSelector({ scopes }: Principal, selector: string | undefined): void {
  if (selector !== undefined && !scopes.has("operator")) throw new HttpError("forbidden", { scope: "operator" });
}
