// The rights of roles, of people in teams and of operators, as one table each. Every operation needs one right
// (http/api/operations.ts); authorization, the control interface, the command line and the tables of
// docs/reference/api/people.md come from these tables.

/** What can be permitted, with its meaning for documents: for an account about itself, and for operators. */
export const rights = {
  see: { team: "Read what the account has", operators: "Read everything of all accounts" },
  rent: {
    team: "Launch, change and end instances and what belongs to them, with their secrets",
    operators: "Act on the instances of all accounts",
  },
  money: {
    team: "Pay, redeem vouchers, and change billing details",
    operators: "Payments, corrections, credit notes, vouchers and coupons",
  },
  limits: {
    team: "Change spend limits of tokens, budget alerts, and where emails go",
    operators: "Change accounts and spend limits",
  },
  members: { team: "Invite, change and remove people", operators: "Create accounts and invite people" },
  owners: { team: "The same for owners", operators: "Invite owners" },
  tokens: { team: "Tokens of the team and of other people, and webhooks", operators: "Tokens of accounts" },
  fleet: { team: null, operators: "Hosts, engines, catalog and the service itself" },
} as const;
export type Right = keyof typeof rights;
export const rightNames = Object.keys(rights) as Right[]; // as declared above

const readers = ["see"] as const satisfies Right[];
const admins = ["see", "rent", "money", "limits", "members", "tokens"] as const satisfies Right[];
const owners = [...admins, "owners"] as const satisfies Right[];

/** The rights of people in a team. */
export const teamRights = {
  owner: owners,
  admin: admins,
  member: ["see", "rent"],
  billing: ["see", "money", "limits"],
  viewer: readers,
} as const satisfies Record<string, readonly Right[]>;
export type TeamRole = keyof typeof teamRights;
export const teamRoles = Object.keys(teamRights) as TeamRole[]; // as declared above

/** The role with whose rights a token of the team itself acts: it cannot create owners. */
export const roleOfTeamTokens: TeamRole = "admin";
/** The role of which a team that has it keeps at least one person. */
export const keptRole: TeamRole = "owner";

/** The rights of tokens with the scope `operator`, where they use it. */
export const operatorRights = {
  operator: [...owners, "fleet"],
  support: ["see", "rent"],
  finance: ["see", "money", "limits"],
  "read-only": readers,
} as const satisfies Record<string, readonly Right[]>;
export type OperatorRole = keyof typeof operatorRights;
export const operatorRoles = Object.keys(operatorRights) as OperatorRole[]; // as declared above

/** The role of a token with the scope `operator` that states none. */
export const fullOperator: OperatorRole = "operator";

/** Whether people with this role, or for null tokens of the team itself, have the right. */
export function teamMay(role: TeamRole | null, right: Right): boolean {
  return (teamRights[role ?? roleOfTeamTokens] as readonly Right[]).includes(right);
}

/** Whether operators with this role, or for null without one, have the right. */
export function operatorMay(role: OperatorRole | null, right: Right): boolean {
  return (operatorRights[role ?? fullOperator] as readonly Right[]).includes(right);
}

/** The right to make someone have this role, or to take it. */
export const rightOver = (role: TeamRole): Right => (role === keptRole ? "owners" : "members");
