import { escapeHtml } from '../../../shared/html.js';
import type { OpenApiDocument, OpenApiOperation } from './document.js';
import type { JsonSchema } from './operation.js';

const roleNames: Readonly<Record<OpenApiOperation['x-role'], string>> = {
  anonymous: 'everyone',
  common: 'users',
  admin: 'admins',
  root: 'root',
  key: 'API key',
};

/** The reference as an HTML page that works without scripts. */
export function referencePage(document: OpenApiDocument): string {
  const tags = document['tags'] as ReadonlyArray<{ readonly name: string; readonly description: string }>;
  const { title, version, description } = document['info'] as Record<'title' | 'version' | 'description', string>;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags[0] === tag.name);
    const blocks = own.map(({ path, method, operation }) => block(path, method, operation, document));
    return `<section id="${anchor(tag.name)}"><h2>${escapeHtml(tag.name)}</h2><p class="soft">${prose(tag.description)}</p>${blocks.join('')}</section>`;
  });
  const links = tags.map(({ name }) => `<li><a href="#${anchor(name)}">${escapeHtml(name)}</a></li>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · ${escapeHtml(title)}</title><link rel="stylesheet" href="/docs/api.css"><script src="/docs/api.js" defer></script></head>
<body><div class="layout"><nav aria-label="Sections"><a href="/">${escapeHtml(title)}</a>
<input type="search" placeholder="Filter" aria-label="Filter operations"><ul>${links.join('')}</ul></nav>
<main><h1>API reference</h1><p>${prose(description)}</p>
<p class="soft">Version ${escapeHtml(version)} · <a href="/openapi.json">openapi.json</a> · ${operations.length} operations</p>
<p class="none soft" hidden>No operation matches.</p>${sections.join('')}</main></div></body></html>
`;
}

function block(path: string, method: string, operation: OpenApiOperation, document: OpenApiDocument): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const parts = [
    description === undefined ? '' : `<p>${prose(description)}</p>`,
    parameters.length === 0 ? '' : `<h3>Parameters</h3>${parameterTable(parameters)}`,
    ...Object.entries(requestBody?.content ?? {}).map(
      ([type, media]) => `<h3>Body, ${escapeHtml(type)}</h3>${fieldTable(media['schema'] as JsonSchema, document)}`,
    ),
    `<h3>Example</h3><pre>${escapeHtml(curl(path, method, operation))}</pre>`,
    ...Object.entries(responses).map(([status, response]) => responseBlock(status, response, document)),
  ];
  return `<details id="${operationId}"><summary><span class="method ${method}">${method.toUpperCase()}</span><code>${escapeHtml(path)}</code><span class="what">${escapeHtml(summary)}</span><span class="who">${roleNames[operation['x-role']]}</span></summary><div class="body">${parts.join('')}</div></details>`;
}

function parameterTable(parameters: readonly JsonSchema[]): string {
  const rows = parameters.map((parameter) => {
    const { type, enum: values } = parameter['schema'] as { type: string; enum?: readonly string[] };
    const kind = values ? values.join(', ') : type;
    const place = `${String(parameter['in'])}${parameter['required'] ? ', required' : ''}`;
    return row(code(String(parameter['name'])), `${escapeHtml(kind)}<br><span class="soft">${place}</span>`, parameter);
  });
  return table(rows);
}

function responseBlock(status: string, response: JsonSchema, document: OpenApiDocument): string {
  const content = (response['content'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const types = Object.entries(content).map(([type, media]) => {
    const schema = media['schema'] as JsonSchema;
    return type === 'application/json' && status === '200'
      ? fieldTable(schema, document, false)
      : `<p>${code(type)}</p>`;
  });
  return `<h3>Response ${escapeHtml(status)}</h3><p class="soft">${prose(String(response['description']))}</p>${status === '200' ? types.join('') : ''}`;
}

/** Returns a table of two levels of fields. Deeper fields are in the document. */
function fieldTable(schema: JsonSchema, document: OpenApiDocument, marksRequired = true): string {
  const rows = fieldRows(schema, '', { document, marksRequired }, 0);
  return rows.length === 0 ? `<p>${escapeHtml(kindOf(schema, document))}</p>` : table(rows);
}

const maxDepth = 3;

interface Shown {
  readonly document: OpenApiDocument;
  /** Whether required fields are marked. Responses always have all of their fields. */
  readonly marksRequired: boolean;
}

function fieldRows(given: JsonSchema, prefix: string, shown: Shown, depth: number): string[] {
  const { document, marksRequired } = shown;
  const schema = firstForm(resolve(given, document), document);
  const item = schema['items'] as JsonSchema | undefined;
  if (item) return depth > maxDepth ? [] : fieldRows(item, `${prefix}[]`, shown, depth + 1);
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  return Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>).flatMap(
    ([name, inner]) => {
      const path = prefix ? `${prefix}.${name}` : name;
      const kind = `${escapeHtml(kindOf(inner, document))}${marksRequired && required.has(name) ? '<br><span class="soft">required</span>' : ''}`;
      const isEnvelope = name === 'data' || name === 'items';
      const deeper = isEnvelope && depth < maxDepth ? fieldRows(inner, path, shown, depth + 1) : [];
      return [row(code(path), kind, resolve(inner, document)), ...deeper];
    },
  );
}

const resolve = (schema: JsonSchema, document: OpenApiDocument): JsonSchema => {
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string') return schema;
  return { ...document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)], ...beside };
};

/** Returns the first form that is not null. */
function firstForm(schema: JsonSchema, document: OpenApiDocument): JsonSchema {
  const forms = (schema['anyOf'] ?? schema['oneOf']) as readonly JsonSchema[] | undefined;
  const form = forms?.map((one) => resolve(one, document)).find(({ type }) => type !== 'null');
  return form ?? schema;
}

function kindOf(schema: JsonSchema, document: OpenApiDocument): string {
  const { $ref, const: constant, enum: values, type, items, anyOf } = schema;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ');
  if (items) return `list of ${kindOf(items as JsonSchema, document)}`;
  if (Array.isArray(anyOf)) return anyOf.map((one) => kindOf(one as JsonSchema, document)).join(' or ');
  return Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any';
}

/** Returns the example as a command. */
function curl(path: string, method: string, operation: OpenApiOperation): string {
  const { path: parts = {}, query = {}, body } = operation['x-example'];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(parts[name] ?? parts['*'] ?? 1));
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const address = `$SITE${filled}${search.length > 0 ? `?${search.join('&')}` : ''}`;
  const role = operation['x-role'];
  const credential =
    role === 'anonymous' ? '' : role === 'key' ? 'Authorization: Bearer $API_KEY' : 'Authorization: $ACCESS_TOKEN';
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${address}"`,
    ...(credential ? [`  -H "${credential}"`] : []),
    ...(body === undefined ? [] : ['  -H "Content-Type: application/json"', `  -d '${JSON.stringify(body)}'`]),
  ].join(' \\\n');
}

const table = (rows: readonly string[]): string => `<div class="wide"><table>${rows.join('')}</table></div>`;
const row = (name: string, kind: string, { description }: JsonSchema): string =>
  `<tr><td>${name}</td><td>${kind}</td><td>${prose(typeof description === 'string' ? description : '')}</td></tr>`;
const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;
const anchor = (name: string): string => name.toLowerCase().replace(/[^a-z]+/g, '-');
/** Converts text with code in backticks to HTML. */
const prose = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
