import { type Case, casesOf, invalid, notice, silent, valid } from "./case.ts";
import { change, delivery, without } from "./payload.ts";

const EXPIRING = delivery("bankaccount.state_changed", "consent-expiring");
const EXPIRING_SOMETIME = delivery("bankaccount.state_changed", "consent-expiring-date-unknown");
const SIGN_IN = delivery("bankaccount.state_changed", "sign-in-needed");
const LOST = delivery("bankaccount.state_changed", "disconnected");
const RECOVERED = delivery("bankaccount.state_changed", "recovered");
const RECONNECTED = delivery("bankaccount.state_changed", "recovered-from-disconnected");

/** Requirements of bank accounts' connections that a single event can break. */
export const bac: Case[] = [
  ...casesOf("BAC-01", [
    silent("an active account enters auth_required", EXPIRING),
    silent("an active account is disconnected", LOST),
    silent("an account is active again", RECOVERED),
    silent("a disconnected account is active again", RECONNECTED),
    invalid("an active account became active", change(RECOVERED, { "/previousState": "active" })),
    invalid(
      "an account in auth_required enters auth_required",
      change(EXPIRING, { "/previousState": "auth_required" }),
    ),
    invalid(
      "a disconnected account was disconnected",
      change(LOST, { "/previousState": "disconnected" }),
    ),
    ...["state", "previousState"].flatMap((field) => [
      invalid(`${field} is absent`, without(LOST, `/${field}`)),
      invalid(`${field} is null`, change(LOST, { [`/${field}`]: null })),
      invalid(`${field} is another`, change(LOST, { [`/${field}`]: "expired" })),
      invalid(`${field} is in upper case`, change(LOST, { [`/${field}`]: "AUTH_REQUIRED" })),
      invalid(`${field} is in kebab case`, change(LOST, { [`/${field}`]: "auth-required" })),
    ]),
    invalid("bankAccountId is absent", without(LOST, "/bankAccountId"), { also: ["CONV-01"] }),
    invalid("bankAccountId is null", change(LOST, { "/bankAccountId": null }), {
      also: ["CONV-01"],
    }),
  ]),
  ...casesOf("BAC-02", [
    silent("the consent expires on a known day", EXPIRING),
    silent("the consent expires on an unknown day", EXPIRING_SOMETIME),
    silent("no reason applies", SIGN_IN),
    notice("the reason is an unknown value", change(LOST, { "/reason": "provider_outage" })),
    notice("the reason has another spelling", change(EXPIRING, { "/reason": "CONSENT_EXPIRING" })),
    valid(
      "a disconnected account has expiresAt",
      change(LOST, { "/expiresAt": "2025-05-26T00:00:00.000Z" }),
    ),
    ...["reason", "expiresAt"].flatMap((field) => [
      invalid(`${field} is absent`, without(LOST, `/${field}`), { also: ["BAC-01"] }),
      invalid(`${field} is a number`, change(EXPIRING, { [`/${field}`]: 1748217600 }), {
        also: ["BAC-01", "CONV-02"],
      }),
    ]),
    invalid("reason is an object", change(EXPIRING, { "/reason": { code: "consent_expiring" } })),
    invalid("reason is a boolean", change(LOST, { "/reason": false })),
  ]),
];
