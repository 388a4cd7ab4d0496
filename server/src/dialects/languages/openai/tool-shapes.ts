import { omitUndefined } from '../../../shared/omit-undefined.js';
import { asFields, asFieldsList, asText, type Fields, type Json } from '../../neutral/fields.js';

/*
 * Chat completions describe a tool in an object named like its type, Responses in the tool itself, and Messages have `input_schema` and
 * no type. Cursor sends flat tools to chat completions, and mixes both forms in one list.
 */

const described = (tool: Fields): Fields | null => asFields(tool['function']) ?? asFields(tool['custom']);

const isFlat = (tool: Fields): boolean =>
  (tool['type'] === undefined || tool['type'] === 'function' || tool['type'] === 'custom') &&
  asText(tool['name']) !== '' &&
  !described(tool);

const nested = (tool: Fields): Fields => {
  if (!isFlat(tool)) return tool;
  const { type = 'function', cache_control: mark, input_schema: schema, ...rest } = tool;
  const description = schema === undefined ? rest : { ...rest, parameters: rest['parameters'] ?? schema };
  return omitUndefined<Json>({ type, [String(type)]: description, cache_control: mark });
};

const flat = (tool: Fields): Fields => {
  const inner = described(tool);
  if (inner) return { type: tool['type'] ?? 'function', ...inner };
  if (tool['input_schema'] === undefined) return tool;
  const { input_schema: parameters, ...rest } = tool;
  return { type: 'function', ...rest, parameters };
};

const changed = (body: Fields, shape: (tool: Fields) => Fields): Fields => {
  const choice = asFields(body['tool_choice']);
  return {
    ...body,
    tools: asFieldsList(body['tools']).map(shape),
    ...(choice ? { tool_choice: shape(choice) } : {}),
  };
};

/**
 * Returns a body of chat completions with nested tools.
 * @returns null when it has no flat tool
 */
export function withNestedTools(body: Fields): Fields | null {
  const { tools } = body;
  if (!Array.isArray(tools)) return null;
  const isAnyFlat = tools.some((tool) => {
    const fields = asFields(tool);
    return fields !== null && isFlat(fields);
  });
  return isAnyFlat ? changed(body, nested) : null;
}

/** Returns a body of Responses with flat tools. */
export const withFlatTools = (body: Fields): Fields => (Array.isArray(body['tools']) ? changed(body, flat) : body);
