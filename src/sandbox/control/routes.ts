import * as z from "zod";
import type { Kind } from "../store/resources.ts";
import { verbs } from "../verbs/index.ts";
import type { VerbName } from "../verbs/params.ts";
import * as answers from "./answers.ts";
import { type Route, route } from "./route.ts";
import * as schemas from "./schemas.ts";

/** Each verb has a route of its own, so that the document tells what it takes. */
const verbRoutes = Object.entries(verbs).map(([name, { summary, requirements, params }]) =>
  route({
    method: "POST",
    path: `/verbs/${name}`,
    summary: summary.charAt(0).toUpperCase() + summary.slice(1),
    extensions: { "x-requirements": requirements },
    body: params,
    answer: answers.outcome,
    run: (control, { body }) => control.trigger(name as VerbName, body),
  }),
);

/** The control API: its routes and its document are made of this table. */
export const routes: readonly Route[] = [
  route({
    method: "GET",
    path: "/status",
    summary: "Tells what there is: accounts, clock, and how many of each kind",
    answer: answers.status,
    run: (control) => control.status(),
  }),
  route({
    method: "GET",
    path: "/verbs",
    summary: "Lists what can be made to happen",
    answer: z.array(answers.verbDescription),
    run: (control) => control.verbs(),
  }),
  ...verbRoutes,
  route({
    method: "GET",
    path: "/clock",
    summary: "Tells how the clock stands",
    answer: answers.clockReading,
    run: (control) => control.readClock(),
  }),
  route({
    method: "PUT",
    path: "/clock",
    summary: "Sets how the clock goes, and from when on",
    body: schemas.clockSetting,
    answer: answers.clockReading,
    run: (control, { body }) => control.setClock(body),
  }),
  route({
    method: "POST",
    path: "/clock/advance",
    summary: "Turns the clock, and answers when everything due has happened",
    body: schemas.clockStep,
    answer: answers.clockReading,
    run: (control, { body }) => control.advance(body.by),
  }),
  route({
    method: "POST",
    path: "/settle",
    summary: "Answers when every job and delivery that is due was done or tried",
    status: 204,
    run: (control) => control.settle(),
  }),
  route({
    method: "GET",
    path: "/events",
    summary: "Lists the log of events, the oldest first",
    query: schemas.eventsQuery,
    answer: z.array(answers.loggedEvent),
    run: (control, { query }) => control.events(query),
  }),
  route({
    method: "GET",
    path: "/resources/{kind}",
    summary: "Lists the latest of a kind, with what the interface does not show",
    query: schemas.resourcesQuery,
    answer: z.array(answers.shownResource),
    run: (control, { path, query }) => control.resources(path["kind"] as Kind, query),
  }),
  route({
    method: "GET",
    path: "/endpoints",
    summary: "Lists where deliveries go",
    answer: z.array(answers.endpoint),
    run: (control) => control.endpoints(),
  }),
  route({
    method: "POST",
    path: "/endpoints",
    summary: "Registers an endpoint: it gets the events from now on",
    body: schemas.endpointParams,
    status: 201,
    answer: answers.endpoint,
    run: (control, { body }) => control.addEndpoint(body),
  }),
  route({
    method: "DELETE",
    path: "/endpoints/{id}",
    summary: "Removes an endpoint, with what it was still to get",
    status: 204,
    run: (control, { path }) => control.removeEndpoint(path["id"] ?? ""),
  }),
  route({
    method: "GET",
    path: "/deliveries",
    summary: "Lists the latest deliveries with their attempts, the latest first",
    query: schemas.deliveriesQuery,
    answer: z.array(answers.delivery),
    run: (control, { query }) => control.deliveries(query),
  }),
  route({
    method: "POST",
    path: "/deliveries/{id}/replay",
    summary: "Sends a delivery again",
    answer: answers.replayed,
    run: (control, { path }) => control.replay(path["id"] ?? ""),
  }),
  route({
    method: "POST",
    path: "/deliveries/replay",
    summary: "Sends all deliveries again that have ended",
    answer: answers.replayed,
    run: (control) => control.replay("all"),
  }),
  route({
    method: "GET",
    path: "/faults",
    summary: "Tells what goes wrong on demand, and how often still",
    answer: schemas.faults,
    run: (control) => control.faults(),
  }),
  route({
    method: "PUT",
    path: "/faults",
    summary: "Replaces all faults; what is left out is none",
    body: schemas.faultsSetting,
    answer: schemas.faults,
    run: (control, { body }) => control.setFaults(body),
  }),
  route({
    method: "POST",
    path: "/reset",
    summary: "Begins anew, with a world and a seed; endpoints stay",
    body: schemas.resetParams,
    answer: answers.status,
    run: (control, { body }) => control.reset(body),
  }),
  route({
    method: "GET",
    path: "/snapshots",
    summary: "Lists the names of the kept states",
    answer: z.array(z.string()),
    run: (control) => control.snapshots(),
  }),
  route({
    method: "PUT",
    path: "/snapshots/{name}",
    summary: "Keeps the state under a name, in place of what was under it",
    status: 204,
    run: (control, { path }) => control.snapshot(path["name"] ?? ""),
  }),
  route({
    method: "POST",
    path: "/snapshots/{name}/restore",
    summary: "Goes back to a kept state",
    answer: answers.status,
    run: (control, { path }) => control.restore(path["name"] ?? ""),
  }),
];
