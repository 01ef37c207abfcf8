import { answerPlaces } from "../generated/places.ts";
import type { RequirementId } from "../generated/requirements.ts";
import type { Finding } from "../src/contract/finding.ts";
import { visitPlaces } from "../src/contract/place.ts";
import { type AnsweringOperation, validateResponse } from "../src/contract/validate.ts";
import { Unseen } from "./check.ts";
import type { Exchange } from "./exchange.ts";
import type { Session } from "./session.ts";
import { collections, findSubject, resources } from "./subject.ts";

/** What an operation answered, and what its shape shows. */
export interface Answer {
  readonly operation: AnsweringOperation;
  readonly exchange: Exchange;
  /** Whether it is a 200 with a JSON body; only then there is a shape to look at. */
  readonly isJson: boolean;
  readonly findings: readonly Finding[];
  /** The requirements that the contract names at a place where the body has a value. */
  readonly seen: ReadonlySet<RequirementId>;
}

export interface Survey {
  /** The answer of each endpoint that could be asked. */
  readonly answers: ReadonlyMap<AnsweringOperation, Answer>;
  /** Why an endpoint was not asked that there is a link to. */
  readonly refusals: ReadonlyMap<AnsweringOperation, string>;
}

/**
 * Asks every endpoint once: the token endpoint, the first page of every collection, and one
 * resource of every kind, found by the links and ids in what came before. An endpoint with no known
 * resource is left out.
 */
export async function survey(session: Session): Promise<Survey> {
  const answers = new Map<AnsweringOperation, Answer>();
  const refusals = new Map<AnsweringOperation, string>();
  const token = "POST /auth/realms/{account_id}/protocol/openid-connect/token";
  answers.set(token, answerOf(token, await session.tokenExchange()));
  if ((await session.accessToken()) === "") return { answers, refusals };
  for (const operation of [...collections, ...resources]) {
    const call = findSubject(operation, answers, session.target.profile);
    if (!call) continue;
    try {
      answers.set(operation, answerOf(operation, await session.ask(call)));
    } catch (error) {
      if (!(error instanceof Unseen)) throw error;
      refusals.set(operation, error.reason);
    }
  }
  return { answers, refusals };
}

function answerOf(operation: AnsweringOperation, exchange: Exchange): Answer {
  const { status, json } = exchange.response ?? {};
  const isJson = status === 200 && json !== undefined;
  const seen = new Set<RequirementId>();
  if (!isJson) return { operation, exchange, isJson, findings: [], seen };
  visitPlaces(answerPlaces[operation], json, ({ requirements = [], format }, value) => {
    // A null shows nothing of what its place asks of a value.
    if (value === null) return;
    for (const id of requirements) seen.add(id);
    if (format) seen.add(format);
  });
  const { findings } = validateResponse(operation, 200, json);
  return { operation, exchange, isJson, findings, seen };
}
