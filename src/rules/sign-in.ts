// Limits of signing in by a link that is sent by email, and of command lines that sign in through the browser. Used by
// rental/people, http/console, emails and documents.

export const signInLinks = {
  /** How long a link can be used, in minutes. */
  minutes: 15,
  /** The time that the numbers below are for, in seconds. */
  limitSeconds: 3600,
  /** Requests for one email address. */
  perEmail: 5,
  /** Requests from one client address. */
  perClient: 30,
  /** Requests for all addresses together. */
  overall: 2000,
} as const;

/** Where the console takes a link: its secret follows in the fragment, which browsers never send. */
export const signInPath = "/sign-in#";

export const deviceSignIn = {
  /** How long a code can be confirmed. */
  minutes: 10,
  /** Between two polls of a command line. */
  pollSeconds: 2,
  /** Command lines that begin from one client address, within an hour. */
  perClient: 60,
  /** Codes that a person tries, within an hour. */
  perPerson: 20,
  /** How long the token of a command line is valid. */
  tokenDays: 90,
  /** The page of the console that takes the code. */
  page: "/device",
} as const;
