/** What may stand at a place of a graph's text, by the schema of graphs: names of fields, and their values. Knows no editor. */

/** Where a text ends: the objects and arrays around that place, what stands there so far, and where it begins. */
export function placeOf(text) {
  const around = [];
  let at = 0;
  let open = null;    // where the string begins that the text ends in
  let word = text.length;
  while (at < text.length) {
    const letter = text[at];
    const inside = around.at(-1);
    if (letter === '"') {
      const end = endOf(text, at);
      if (end < 0) {
        open = at;
        break;
      }
      const found = text.slice(at + 1, end);
      if (inside?.names && inside.wantsName) inside.name = found;
      else if (inside?.names) inside.values.set(inside.name, found);
      at = end;
    } else if (letter === "{") around.push({ names: new Set(), values: new Map(), name: "", wantsName: true, index: 0 });
    else if (letter === "[") around.push({ names: null, index: 0 });
    else if (letter === "}" || letter === "]") around.pop();
    else if (letter === ":" && inside?.names) {
      inside.names.add(inside.name);
      inside.wantsName = false;
    } else if (letter === "," && inside) {
      inside.index += 1;
      inside.wantsName = inside.names !== null;
    }
    at += 1;
  }
  if (open === null) while (word > 0 && /[A-Za-z0-9_.-]/.test(text[word - 1])) word -= 1;
  return { around, from: open ?? word };
}

function endOf(text, begin) {
  for (let at = begin + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
    else if (text[at] === "\n") return -1;
  }
  return -1;
}

/** The schemas without references and choices that a value may have; of objects those that fit the type that they say. */
function choices(schema, root, type) {
  if (!schema || schema === true) return [];
  if (schema.$ref) return choices(root.$defs[schema.$ref.slice("#/$defs/".length)], root, type);
  const several = schema.oneOf ?? schema.anyOf;
  if (!several) return [schema];
  const all = several.flatMap((each) => choices(each, root, type));
  const named = all.filter((each) => each.properties?.type?.const === type);
  return named.length ? named : all;
}

/** The schemas of what is at the end of a path. */
function schemasAt(root, around) {
  let found = [root];
  around.forEach((level, depth) => {
    const type = level.values?.get("type");
    found = found.flatMap((each) => choices(each, root, type));
    if (depth === around.length - 1) return;
    found = found.flatMap((each) => level.names ? [each.properties?.[level.name] ?? each.additionalProperties] : [each.items]).filter(Boolean);
  });
  return found;
}

/** What may stand where a text ends: `from` where it begins, and of each its text, what it is, and what the schema says of it. */
export function complete(root, text, operators) {
  const { around, from } = placeOf(text);
  const level = around.at(-1);
  if (!level) return { from, found: [] };
  const schemas = schemasAt(root, around);
  if (level.names && level.wantsName) return { from, found: names(schemas, level) };
  const below = level.names ? schemas.map((each) => each.properties?.[level.name] ?? each.additionalProperties) : schemas.map((each) => each.items);
  const ids = around[0]?.name === "links" && ["from", "to"].includes(level.name) ? operators.map((id) => ({ text: JSON.stringify(id), kind: "variable", says: "" })) : [];
  return { from, found: unique([...ids, ...below.flatMap((each) => values(each, root))]) };
}

function names(schemas, level) {
  return unique(schemas.flatMap((schema) => Object.entries(schema.properties ?? {}).filter(([name]) => !level.names.has(name)).map(([name, field]) => ({
    text: `"${name}": `, kind: "property", says: field.description ?? "", first: (schema.required ?? []).includes(name) }))));
}

function values(schema, root) {
  return choices(schema, root, undefined).flatMap((each) => {
    const said = each.description ?? "";
    if (each.properties?.type?.const) return [{ text: `{"type": "${each.properties.type.const}"`, kind: "class", says: said }];
    const known = each.const !== undefined ? [each.const] : each.type === "boolean" ? [true, false] : [];
    return known.map((value) => ({ text: JSON.stringify(value), kind: "constant", says: said }));
  });
}

function unique(found) {
  const byText = new Map();
  for (const each of found) if (!byText.has(each.text)) byText.set(each.text, each);
  return [...byText.values()];
}
