import { EnrollmentError } from "./error.js";
import { Form } from "./form.js";
import { Session } from "./session.js";

export { EnrollmentError };

/**
 * Parameters of `openForm` (SDK-01).
 *
 * @typedef {object} OpenFormParameters
 * @property {string} companyName shown to the cardholder
 * @property {string} subaccountId the subaccount that the card is enrolled under
 * @property {() => Promise<string>} getAccessToken resolves to a token of the SDK credentials,
 * within 5 seconds (SDK-03)
 * @property {(data: Enrollment) => void} onSuccess
 * @property {(error: EnrollmentError) => void} onError
 * @property {() => void} onCancel
 */

/**
 * The argument of onSuccess. The interface does not specify it.
 *
 * @typedef {object} Enrollment
 * @property {string} subscriptionId id of the active card subscription
 * @property {string} cardId
 */

/** The outcome of test cards that require a challenge. */
const AWAITS_SCA = "reqSCA";

/**
 * Opens the enrollment form over the page. Calls exactly one of onSuccess, onError and onCancel,
 * once, after the form has closed. Canceling or failing the challenge leaves the card subscription
 * in `reqSCA`.
 *
 * @param {OpenFormParameters} parameters
 * @returns {void} Throws a TypeError if onError is not a function.
 */
export function openForm(parameters) {
  const { onSuccess, onError, onCancel } = parameters;
  if (typeof onError !== "function") throw new TypeError("openForm requires a function onError");
  const wrong = wrongParameter(parameters);
  if (wrong) return onError(new EnrollmentError("usage", wrong));
  const form = new Form(parameters.companyName);
  enroll(form, parameters).then(
    (enrollment) => form.close(() => onSuccess(enrollment)),
    (error) => form.close(() => onError(error)),
  );
  form.open(onCancel);
}

/**
 * @param {Form} form
 * @param {OpenFormParameters} parameters
 * @returns {Promise<Enrollment>}
 */
async function enroll(form, { subaccountId, getAccessToken }) {
  const session = new Session(getAccessToken);
  const query = new URLSearchParams({ subaccountId });
  const { cards } = await session.ask("GET", `test-cards?${query}`);
  const cardNumber = await form.chooseCard(cards);
  const enrolled = await session.ask("POST", "enrollments", { subaccountId, cardNumber });
  const { subscriptionId, cardId, state } = enrolled;
  if (state === AWAITS_SCA) {
    await form.challenge();
    await session.ask("POST", `enrollments/${encodeURIComponent(subscriptionId)}/sca`);
  }
  return { subscriptionId, cardId };
}

/** @param {Record<string, any>} parameters @returns {string | undefined} */
function wrongParameter(parameters) {
  for (const name of ["companyName", "subaccountId"]) {
    if (typeof parameters[name] !== "string") return `openForm requires a string ${name}`;
  }
  for (const name of ["getAccessToken", "onSuccess", "onCancel"]) {
    if (typeof parameters[name] !== "function") return `openForm requires a function ${name}`;
  }
  return undefined;
}
