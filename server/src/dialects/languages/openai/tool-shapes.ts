import { omitUndefined } from '../../../shared/omit-undefined.js';
import { asFields, asText, type Fields, type Json } from '../../neutral/fields.js';
import { changedList } from '../../wire/pass-through/changed-list.js';
import { flatFormat, nestedFormat } from './custom-format.js';

/*
 * Chat completions describe a tool in an object named like its type, Responses in the tool itself, and Messages have `input_schema` and
 * no type. Cursor sends flat tools to chat completions, and mixes both forms in one list.
 */

const described = (tool: Fields): Fields | null => asFields(tool['function']) ?? asFields(tool['custom']);

/** The name of a tool, or of the tool that a choice names, in either form; undefined: it has none. */
export const nameIn = (tool: Fields): unknown => (described(tool) ?? tool)['name'];

const isFlat = (tool: Fields): boolean =>
  (tool['type'] === undefined || tool['type'] === 'function' || tool['type'] === 'custom') &&
  asText(tool['name']) !== '' &&
  !described(tool);

const withFormat = (tool: Fields, shape: (format: Fields) => Fields): Fields => {
  const format = asFields(tool['format']);
  return format ? { ...tool, format: shape(format) } : tool;
};

/** Returns a tool, or a choice of one, as chat completions have it: the same object when it is nested. */
export const nested = (tool: Fields): Fields => {
  if (!isFlat(tool)) return tool;
  const { type = 'function', cache_control: mark, input_schema: schema, ...rest } = tool;
  const description = schema === undefined ? rest : { ...rest, parameters: rest['parameters'] ?? schema };
  return omitUndefined<Json>({ type, [String(type)]: withFormat(description, nestedFormat), cache_control: mark });
};

const flat = (tool: Fields): Fields => {
  const inner = described(tool);
  if (inner) return { type: tool['type'] ?? 'function', ...withFormat(inner, flatFormat) };
  if (tool['input_schema'] === undefined) return tool;
  const { input_schema: parameters, ...rest } = tool;
  return { type: 'function', ...rest, parameters };
};

const choiceOf = ({ tool_choice: choice }: Fields, shape: (tool: Fields) => Fields): Fields => {
  const named = asFields(choice);
  return named ? { tool_choice: shape(named) } : {};
};

/**
 * Returns a body of chat completions with nested tools.
 * @returns null when it has no flat tool
 */
export function withNestedTools(body: Fields): Fields | null {
  const tools = changedList(body['tools'], nested);
  return tools === body['tools'] ? null : { ...body, tools, ...choiceOf(body, nested) };
}

/** Returns a body of Responses with flat tools. */
export const withFlatTools = (body: Fields): Fields =>
  Array.isArray(body['tools']) ? { ...body, tools: changedList(body['tools'], flat), ...choiceOf(body, flat) } : body;
