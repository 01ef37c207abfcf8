import { expect, test } from "vitest";
import { mutations } from "../../../mutation/mutations/index.ts";
import { attempt } from "./attempt.ts";

test.each(["auth/any-token", "auth/one-session", "page/overlap", "page/prev-to-first"])(
  "replaying the evidence of a run with %s gives the same findings",
  async (name) => {
    const { http, requirement } = mutations.find(({ id }) => id === name) ?? {};
    if (!http || !requirement) throw new Error(`there is no mutation ${name}`);
    const { failed, isReplayEqual } = await attempt({ only: [requirement], http });
    expect(failed.length).toBeGreaterThan(0);
    expect(isReplayEqual).toBe(true);
  },
);
