// The choice of a role: what this session may not give is disabled, with the reason, and the chosen one says what it means.

import { Select, type SelectProps } from "@mantine/core";
import { rightOver, teamRoles } from "../../../src/rules/roles.ts";
import type { Scope } from "../api/rights.ts";
import { useSession } from "../api/session-context.tsx";
import { meaningsOf, roleTitle } from "./role-words.ts";
import classes from "./team.module.css";

interface RoleSelectProps extends SelectProps {
  /** With what the role is given: `operator` to people of any account. */
  readonly scope?: Scope;
}

export function RoleSelect({ scope = "write", ...input }: RoleSelectProps) {
  const { lack } = useSession();
  const missing = teamRoles.map((role) => lack(rightOver(role), scope));
  const chosen = teamRoles.find((role) => role === input.value);
  return (
    <div className={classes.role}>
      <Select
        label="Role"
        data={teamRoles.map((role, index) => ({
          value: role,
          label: roleTitle(role),
          disabled: missing[index] !== undefined,
        }))}
        allowDeselect={false}
        {...input}
      />
      {teamRoles.map((role, index) =>
        missing[index] === undefined ? null : (
          <p key={role} className="soft">
            {roleTitle(role)}: {missing[index]}
          </p>
        ),
      )}
      {chosen !== undefined && (
        <ul className={classes.meanings} aria-label={`What the role ${chosen} may do`}>
          {meaningsOf(chosen).map((meaning) => (
            <li key={meaning}>{meaning}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
