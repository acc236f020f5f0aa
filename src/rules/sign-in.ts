// Limits of signing in by a link that is sent by email. Used by rental/people, emails and documents.

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
