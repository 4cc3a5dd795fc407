// Compile schemas in strict mode, read as JSON from standard input; print what is refused.
const Ajv = require("../viewers/node_modules/ajv").default;

for (const [name, schema] of Object.entries(JSON.parse(require("fs").readFileSync(0, "utf8")))) {
  const said = [];
  const log = (message) => said.push(message);
  const ajv = new Ajv({ strict: true, allErrors: true, logger: { log, warn: log, error: log } });
  try {
    ajv.compile(schema);
  } catch (error) {
    said.push(error.message);
  }
  for (const one of said) console.log(`${name}: ${one}`);
}
