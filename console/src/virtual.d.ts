// Modules that only the build knows (theme-css.ts).

declare module "virtual:theme.css";
