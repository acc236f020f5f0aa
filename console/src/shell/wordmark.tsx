// The name of the product with its mark, at the head of navigation and on the sign-in page.

import { Link } from "wouter";
import classes from "./layout.module.css";
import mark from "./mark.svg";

export function Wordmark() {
  return (
    <Link href="/" className={classes.wordmark ?? ""}>
      <img src={mark} alt="" width={24} height={24} />
      Lessor
    </Link>
  );
}
