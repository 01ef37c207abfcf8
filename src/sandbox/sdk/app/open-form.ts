import type { OpenFormParameters } from "../../../client/browser/index.ts";
import type { TestCard } from "../routes.ts";
import { EnrollmentError } from "./error.ts";
import { Form } from "./form.tsx";
import { Session } from "./session.ts";

export { EnrollmentError };

/** The argument of onSuccess. The interface does not specify it. */
interface Enrollment {
  /** The id of the active card subscription. */
  readonly subscriptionId: string;
  readonly cardId: string;
}

/** A card subscription that the sandbox created or changed. */
interface Enrolled extends Enrollment {
  /** `reqSCA` for test cards that require a challenge. */
  readonly state: string;
}

/**
 * Opens the enrollment form over the page (SDK-01). Calls exactly one of onSuccess, onError and
 * onCancel, once, after the form has closed. Canceling or failing the challenge leaves the card
 * subscription in `reqSCA`.
 *
 * @throws {TypeError} if onError is not a function
 */
export function openForm(parameters: OpenFormParameters): void {
  const { onSuccess, onError, onCancel } = parameters;
  if (typeof onError !== "function") throw new TypeError("openForm requires a function onError");
  const wrong = wrongParameter({ ...parameters });
  if (wrong) {
    onError(new EnrollmentError("usage", wrong));
    return;
  }
  const form = new Form(parameters.companyName);
  enroll(form, parameters).then(
    (enrollment) => form.close(() => onSuccess(enrollment)),
    (error) => form.close(() => onError(error)),
  );
  form.open(onCancel);
}

async function enroll(form: Form, parameters: OpenFormParameters): Promise<Enrollment> {
  const { subaccountId, getAccessToken } = parameters;
  const session = new Session(getAccessToken);
  const query = new URLSearchParams({ subaccountId });
  const { cards } = await session.ask<{ cards: readonly TestCard[] }>(`test-cards?${query}`);
  const cardNumber = await form.chooseCard(cards);
  const enrolled = await session.ask<Enrolled>("enrollments", { subaccountId, cardNumber });
  const { subscriptionId, cardId, state } = enrolled;
  if (state === "reqSCA") {
    await form.challenge();
    await session.ask<Enrolled>(`enrollments/${encodeURIComponent(subscriptionId)}/sca`, {});
  }
  return { subscriptionId, cardId };
}

function wrongParameter(parameters: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of ["companyName", "subaccountId"]) {
    if (typeof parameters[name] !== "string") return `openForm requires a string ${name}`;
  }
  for (const name of ["getAccessToken", "onSuccess", "onCancel"]) {
    if (typeof parameters[name] !== "function") return `openForm requires a function ${name}`;
  }
  return undefined;
}
