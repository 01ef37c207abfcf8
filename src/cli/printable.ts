export { counted, printable, shortened } from "../../conformance/reports/text.ts";
