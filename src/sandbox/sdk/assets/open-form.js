import { EnrollmentError } from "./error.js";
import { Form } from "./form.js";
import { Session } from "./session.js";

export { EnrollmentError };

/**
 * What `openForm` takes (SDK-01).
 *
 * @typedef {object} OpenFormParameters
 * @property {string} companyName as the cardholder is to see it
 * @property {string} subaccountId that the card is enrolled under
 * @property {() => Promise<string>} getAccessToken resolves to a token of the SDK credentials,
 * within 5 seconds (SDK-03)
 * @property {(data: Enrollment) => void} onSuccess
 * @property {(error: EnrollmentError) => void} onError
 * @property {() => void} onCancel
 */

/**
 * What onSuccess gets; the interface does not show it, so it is our own choice.
 *
 * @typedef {object} Enrollment
 * @property {string} subscriptionId of the card subscription, which is active
 * @property {string} cardId
 */

/** What a card's outcome needs a challenge for. */
const AWAITS_SCA = "reqSCA";

/**
 * Opens the enrollment form, in front of the page. Exactly one of onSuccess, onError and onCancel
 * is called, once, when the form has closed. Whoever cancels during the challenge leaves a card
 * subscription in `reqSCA` behind, as whoever fails it does.
 *
 * @param {OpenFormParameters} parameters
 * @returns {void} Throws a TypeError where there is no onError to call.
 */
export function openForm(parameters) {
  const { onSuccess, onError, onCancel } = parameters;
  if (typeof onError !== "function") throw new TypeError("openForm takes a function as onError");
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
    if (typeof parameters[name] !== "string") return `openForm takes a string as ${name}`;
  }
  for (const name of ["getAccessToken", "onSuccess", "onCancel"]) {
    if (typeof parameters[name] !== "function") return `openForm takes a function as ${name}`;
  }
  return undefined;
}
