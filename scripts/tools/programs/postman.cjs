// Converts the OpenAPI document into a Postman collection with all its operations, the service as
// base address, and a bearer token as variable.
const { readFileSync } = require("node:fs");
const { convert } = require("openapi-to-postmanv2");

const data = readFileSync(process.argv[2], "utf8");
const operations = Object.values(JSON.parse(data).paths).flatMap((item) => Object.keys(item));
const requestsIn = ({ item }) => (item ? item.flatMap(requestsIn) : [1]);

convert({ type: "string", data }, {}, (error, { result, reason, output }) => {
  if (error || !result) throw new Error(error?.message ?? reason);
  const [{ data: collection }] = output;
  const requests = requestsIn(collection).length;
  const variable = (name) => collection.variable.find(({ key }) => key === name)?.value;
  const baseUrl = variable("baseUrl")?.replace(/\{\{(\w+)\}\}/g, (_, name) => variable(name));
  if (requests !== operations.length) throw new Error(`the collection has ${requests} requests`);
  if (!URL.canParse(baseUrl)) throw new Error(`the base address is ${baseUrl}`);
  if (collection.auth?.type !== "bearer")
    throw new Error("the collection has no bearer authentication");
  console.log(`a collection of ${requests} requests, with ${baseUrl} and a bearer token`);
});
