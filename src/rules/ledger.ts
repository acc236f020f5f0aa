// The kinds of entries of the ledger: which two accounts each moves money between, which way, who makes it, and what it has
// to state. Used by rental/ledger, the control interface, the command line and the documents;
// rental/ledger/entries.test.ts compares the database's checks with it.
//
// Terms. An amount is that of the customer's balance, in micro-cents: above zero, the customer has more to spend. The other
// account has the same amount with the other sign, so an entry always adds up to zero.

/** What entries move money between. */
export const ledgerAccounts = {
  balance: "What a customer can spend; below zero: owes.",
  cash: "Payments received, less what was paid back.",
  revenue: "What usage costs.",
  credits: "What does not have to be paid of usage.",
  vouchers: "What vouchers were worth.",
  adjustments: "What operators corrected.",
} as const;

export type LedgerAccount = keyof typeof ledgerAccounts;

interface KindTraits {
  /** The account besides the balance. */
  readonly against: Exclude<LedgerAccount, "balance">;
  /** What the amount can be: above zero, below zero, or both. */
  readonly sign: "+" | "-" | "±";
  readonly madeBy: readonly ("service" | "operator" | "customer" | "payments")[];
  /** The outside world's name of it, such as that of a bank transfer; each counts once. */
  readonly needsReference: boolean;
  readonly needsReason: boolean;
  /** It belongs to a month (UTC), whose entries add up to the statement. */
  readonly isMonthly: boolean;
  /** What it means, for documents and tooltips: one sentence. */
  readonly meaning: string;
}

const plain = { needsReference: false, needsReason: false, isMonthly: false } as const;

export const ledgerKinds = {
  top_up: {
    ...plain,
    against: "cash",
    sign: "+",
    madeBy: ["operator", "payments"],
    needsReference: true,
    meaning: "A payment.",
  },
  usage: {
    ...{ ...plain, against: "revenue", sign: "±", madeBy: ["service"], isMonthly: true },
    meaning: "The usage of a month, so far as no earlier entry has it; above zero: it has become less.",
  },
  credit: {
    ...{ ...plain, against: "credits", sign: "±", madeBy: ["service"], isMonthly: true },
    meaning: "What does not have to be paid of the usage of a month, likewise.",
  },
  refund: {
    ...{
      ...plain,
      against: "cash",
      sign: "-",
      madeBy: ["operator", "payments"],
      needsReference: true,
      needsReason: true,
    },
    meaning: "Money that was paid back.",
  },
  chargeback: {
    ...{ ...plain, against: "cash", sign: "-", madeBy: ["payments"], needsReference: true },
    meaning: "A payment that the customer's bank took back.",
  },
  reversal: {
    ...{ ...plain, against: "cash", sign: "+", madeBy: ["payments"], needsReference: true },
    meaning: "A chargeback that was won, or a refund that failed.",
  },
  voucher: { ...plain, against: "vouchers", sign: "+", madeBy: ["customer"], meaning: "A voucher that was redeemed." },
  adjustment: {
    ...{ ...plain, against: "adjustments", sign: "±", madeBy: ["operator"], needsReason: true },
    meaning: "A correction.",
  },
} as const satisfies Record<string, KindTraits>;

export type LedgerKind = keyof typeof ledgerKinds;

export const ledgerKindNames = Object.keys(ledgerKinds) as LedgerKind[]; // as declared

/** The kinds whose entries add up to statements. */
export const monthlyKinds = ledgerKindNames.filter((kind) => ledgerKinds[kind].isMonthly);

/** The most that one entry of an operator, or a voucher, moves: ten million dollars, in cents. */
export const mostEntryCents = 1_000_000_000;

/** Codes of no voucher that an account tries within an hour. */
export const wrongVouchersPerHour = 50;

/** Whether an entry of this kind can have the amount. */
export function hasSignOf(kind: LedgerKind, amountMicroCents: bigint): boolean {
  const { sign } = ledgerKinds[kind];
  return amountMicroCents > 0n ? sign !== "-" : amountMicroCents < 0n && sign !== "+";
}

/** Throws "BUG: …" for a kind that the table lacks. */
export function asLedgerKind(text: string): LedgerKind {
  const known = ledgerKindNames.find((kind) => kind === text);
  if (known === undefined) throw new Error(`BUG: an entry of the ledger has the unknown kind ${text}`);
  return known;
}
