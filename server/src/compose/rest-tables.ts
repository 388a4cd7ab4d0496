import type { OpenApiDocument, OpenApiOperation } from '../platform/http/openapi/document.js';
import type { JsonSchema } from '../platform/http/openapi/operation.js';
import { table } from './markdown-table.js';

const region = /(<!-- openapi: (.+) -->\n)[^]*?(<!-- end -->)/g;

/**
 * Fills the tables of a page of the reference, between `<!-- openapi: NAME -->` and `<!-- end -->`. The name is a shape of the
 * document, whose fields are listed, or a section, whose requests are listed, or one request, whose body's fields are listed.
 * @throws Error for another name
 */
export const withTables = (markdown: string, document: OpenApiDocument): string =>
  markdown.replace(
    region,
    (_, begin: string, name: string, end: string) => `${begin}\n${table(rowsOf(name, document))}\n\n${end}`,
  );

function rowsOf(name: string, document: OpenApiDocument): string[][] {
  const shape = document.components.schemas[name];
  if (shape) return fields(shape);
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ request: `${method.toUpperCase()} ${path}`, operation })),
  );
  const body = all.find(({ request }) => request === name)?.operation.requestBody;
  if (body) return fields(jsonOf(body), true);
  const section = all.filter(({ operation }) => operation.tags[0] === name);
  if (section.length === 0) throw new Error(`The OpenAPI document has no shape, request or section ${name}`);
  return [
    ['Request', 'Who', 'Input', 'Meaning'],
    ...section.map(({ request, operation }) => [
      code(request),
      who[operation['x-role']],
      inputs(operation),
      meaning(operation),
    ]),
  ];
}

const who: Readonly<Record<OpenApiOperation['x-role'], string>> = {
  anonymous: 'everyone',
  common: 'user',
  admin: 'admin',
  root: 'root',
  key: 'API key',
};

const jsonOf = ({ content }: NonNullable<OpenApiOperation['requestBody']>): JsonSchema =>
  (content['application/json']?.['schema'] ?? {}) as JsonSchema;

const propertiesOf = (shape: JsonSchema): Array<[string, JsonSchema]> =>
  Object.entries((shape['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);

/** @param isBody a body may have null for each of its fields: it counts as absent */
const fields = (shape: JsonSchema, isBody = false): string[][] => [
  ['Key', 'Type', 'Meaning'],
  ...propertiesOf(shape).map(([name, field]) => [
    code(name),
    isBody ? typeOf(field).replace(' or null', '') : typeOf(field),
    descriptionOf(field),
  ]),
];

/** A noun with more fields has a table of its own. */
const maxKeys = 9;

/** The query, then the keys of the body. The path and the headers are those of every request of its kind. */
function inputs({ parameters, requestBody }: OpenApiOperation): string {
  const query = parameters
    .filter((parameter) => parameter['in'] === 'query')
    .map(({ name }) => code(`?${textOf(name)}`));
  const body = requestBody ? propertiesOf(jsonOf(requestBody)).map(([name]) => code(name)) : [];
  return [...query, ...(body.length > maxKeys ? [...body.slice(0, maxKeys), '…'] : body)].join(', ');
}

const meaning = ({ summary, description }: OpenApiOperation): string =>
  description === undefined ? summary : `${summary}. ${description}`;

const typeNames: Readonly<Record<string, string>> = { string: 'text', integer: 'int', boolean: 'bool' };

function typeOf({ type, items, anyOf }: JsonSchema): string {
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map((one) => typeOf(one as JsonSchema)))].join(' or ');
  if (type === 'array') return `list of ${typeOf(items as JsonSchema)}`;
  return [type]
    .flat()
    .map((one) => typeNames[textOf(one)] ?? textOf(one))
    .join(' or ');
}

/** A field that may be null has its description at its other type. */
const descriptionOf = ({ description, anyOf }: JsonSchema): string =>
  textOf(description ?? (Array.isArray(anyOf) ? (anyOf[0] as JsonSchema)['description'] : undefined));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const code = (text: string): string => `\`${text}\``;
