import { expect, test, vi } from "vitest";
import { randomScripts } from "../../../conformance/explore/scripts.ts";

vi.mock("fast-check", () => {
  throw new Error("Cannot find package 'fast-check'");
});

test("without fast-check, one line says what to install", async () => {
  const first = randomScripts(["enroll"], 1).next();
  await expect(first).rejects.toMatchObject({
    code: "usage",
    message:
      "exploration needs the package fast-check; install it: npm install --save-dev fast-check",
  });
});
