import { expect, test } from "vitest";
import { TestSandbox } from "../test-sandbox.ts";

function purchase() {
  const sandbox = new TestSandbox();
  sandbox.do("enroll");
  sandbox.do("sca-pass");
  const { transactionId } = sandbox.do("purchase");
  const { store } = sandbox.engine;
  const served = () => JSON.parse(store.served("transactions", transactionId)?.body ?? "{}");
  expect(served().status).toBe("PENDING");
  return { sandbox, store, transactionId, served };
}

test("the last version written is served", () => {
  const { sandbox, served } = purchase();
  sandbox.do("clear");
  expect(served().status).toBe("SETTLED");
});

test("a version from a rolled-back change is no longer served", () => {
  const { sandbox, store, transactionId, served } = purchase();
  const undone = () =>
    sandbox.engine.commit(() => {
      const transaction = store.find("transactions", transactionId);
      store.update({ ...transaction, body: { ...transaction.body, status: "SETTLED" } });
      expect(served().status).toBe("SETTLED");
      throw new Error("undone");
    });
  expect(undone).toThrow("undone");
  expect(served().status).toBe("PENDING");
});

test("another state's versions are served after it is restored", () => {
  const { sandbox, store, served } = purchase();
  sandbox.engine.replace(() => store.database.exec("DELETE FROM resources"));
  expect(served()).toEqual({});
});

test("an id is served only as its own kind, until it is removed", () => {
  const { store, transactionId } = purchase();
  expect(store.served("cards", transactionId)).toBeUndefined();
  store.remove("transactions", transactionId);
  expect(store.served("transactions", transactionId)).toBeUndefined();
});
