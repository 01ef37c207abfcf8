export * from "./inbox.ts";
