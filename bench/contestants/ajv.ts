import { Ajv2020 } from "ajv/dist/2020.js";
import { type Contestant, eachEvent } from "./contestant.ts";
import { formats } from "./formats.ts";

/** AJV, compiled at run time. */
export const ajv: Contestant = {
  name: "ajv",
  setUp: async (schemas) => {
    const compiler = new Ajv2020({ formats });
    return eachEvent(schemas, (schema) => {
      const validate = compiler.compile(schema);
      return (body) => (validate(body) ? 0 : (validate.errors?.length ?? 1));
    });
  },
};
