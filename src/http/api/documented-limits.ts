// Limits that the rental enforces, as the documents state them: each is derived from the rule that enforces it.
// Validators skip them, because the rental's messages say more than a schema's could. A character has at least one
// byte, so a limit in bytes is also one in characters. Used by the schemas of all interfaces.

import { globRule } from "../../rental/events/type-globs.ts";
import { fileSystemNameRule } from "../../rental/file-systems/file-systems.ts";
import * as firewall from "../../rental/firewall/rules.ts";
import { maxCommandBytes } from "../../rental/launching/order.ts";
import { keyNamePattern, mostKeyNameCharacters } from "../../rental/ssh-keys/key-name.ts";
import { maxPublicKeyBytes } from "../../rental/ssh-keys/public-key.ts";
import { mostUuidCharacters } from "../../rental/uuid.ts";
import { envVarLimits } from "../../rules/env-vars.ts";
import { mostMountPointBytes, mountPointPattern as mountPointRule } from "../../rules/mount-points.ts";
import { hostnameRule, maxLabelLength, maxNameLength } from "../../rules/names.ts";
import { tagBounds, tagKeyRule } from "../../rules/tag-rules.ts";
import { maxUserDataBytes } from "../../rules/user-data.ts";
import { documented } from "../openapi/documented.ts";

/** No control characters, so one line. */
const oneLine = "^[^\\x00-\\x1f\\x7f-\\x9f]*$";

/** The name of a region, an instance type or a host: `namePattern` when created. A longer one matches nothing. */
export const name = documented({ maxLength: 64 });

/** An identifier, with or without dashes. A longer one matches nothing. */
export const uuid = documented({ maxLength: mostUuidCharacters });

export const keyName = documented({ maxLength: mostKeyNameCharacters, pattern: keyNamePattern });
export const publicKey = documented({ minLength: 1, maxLength: maxPublicKeyBytes });
/** A key in variant D: its name or its text. */
export const keyNameOrText = documented({ maxLength: maxPublicKeyBytes });

export const quantity = documented({ minimum: 1, maximum: { configured: "maxQuantity" } });
export const instanceName = documented({ minLength: 1, maxLength: maxNameLength, pattern: oneLine });
/** An empty name means the default. */
export const instanceNameOrNone = documented({ maxLength: maxNameLength, pattern: oneLine });
export const hostname = documented({
  minLength: 1,
  maxLength: maxLabelLength,
  pattern: hostnameRule.source,
});
export const tagKey = documented({
  minLength: 1,
  maxLength: tagBounds.key,
  pattern: tagKeyRule.source,
});
export const tagValue = documented({ maxLength: tagBounds.value, pattern: oneLine });
/** As many terms as an instance may have tags, with every character of the values escaped. */
export const tagFilter = documented({
  minLength: 1,
  maxLength: tagBounds.tags * (tagBounds.key + 2 * tagBounds.value + 2),
});
export const command = documented({ maxLength: maxCommandBytes });
export const userData = documented({ maxLength: maxUserDataBytes });
export const labelKeys = documented({ propertyNames: { pattern: tagKeyRule.source } });
export const envVarNames = documented({ propertyNames: { pattern: envVarLimits.keyPattern.source } });
export const envVarValue = documented({ maxLength: envVarLimits.maxValueBytes });

export const fileSystemName = documented({ pattern: fileSystemNameRule.source });
export const mountPoint = documented({ maxLength: mostMountPointBytes, pattern: mountPointRule });

/** The network of a firewall rule. */
export const network = documented({ maxLength: firewall.mostNetworkCharacters });
export const ruleDescription = documented({ maxLength: firewall.bounds.description, pattern: oneLine });

export const coupon = documented({ maxLength: 64 });
export const eventType = documented({ minLength: 1, maxLength: 64, pattern: globRule.source });

/** Several, separated by commas. */
export const eventTypes = documented({ pattern: "^[a-z0-9_.*,]+$" });

/** What a page starts after: base64url from `writeCursor`, an identifier, or the number of an event. */
export const cursor = documented({ pattern: "^[A-Za-z0-9_.-]+$" });
export const timestamp = documented({ format: "date-time" });
export const day = documented({ format: "date" });
export const month = documented({ pattern: "^[0-9]{4}-(0[1-9]|1[0-2])$" });

/** Visible ASCII, up to 255 characters; longer in quotation marks, where each may be escaped. */
export const idempotencyKey = documented({ minLength: 1, maxLength: 512, pattern: "^[\\x21-\\x7e]+$" });
