import { asFields, asList, type Fields } from './fields.js';

/** A tool of a request, and its place. */
export interface DeclaredTool {
  readonly at: string;
  readonly tool: Fields;
}

/** The tools of a request in any dialect: `tools`, and what Codex declares in an item of the input. */
export function declaredTools(body: Fields): DeclaredTool[] {
  const found = toolsIn(body['tools'], 'tools');
  for (const [index, item] of asList(body['input']).entries()) {
    const declared = additional(item);
    if (declared) found.push(...toolsIn(declared['tools'], `input[${index}].tools`));
  }
  return found;
}

/**
 * @param change returns another tool, the same one, or null for none
 * @returns the same body if nothing changes
 */
export function withTools(body: Fields, change: (tool: Fields) => Fields | null): Fields {
  const tools = changedList(body['tools'], change);
  const given = asList(body['input']);
  const input = given.flatMap((item) => {
    const declared = additional(item);
    const own = declared && changedList(declared['tools'], change);
    if (!own) return [item];
    return own.length === 0 ? [] : [{ ...declared, tools: own }];
  });
  const isInputChanged = input.length !== given.length || input.some((item, index) => item !== given[index]);
  if (!tools && !isInputChanged) return body;
  return { ...body, ...(tools ? { tools } : {}), ...(isInputChanged ? { input } : {}) };
}

const additional = (item: unknown): Fields | null => {
  const fields = asFields(item);
  return fields?.['type'] === 'additional_tools' ? fields : null;
};

const toolsIn = (value: unknown, at: string): DeclaredTool[] =>
  asList(value).flatMap((entry, index) => {
    const tool = asFields(entry);
    return tool ? [{ at: `${at}[${index}]`, tool }] : [];
  });

function changedList(value: unknown, change: (tool: Fields) => Fields | null): unknown[] | null {
  const tools = asList(value);
  const changed = tools.flatMap((entry) => {
    const tool = asFields(entry);
    return tool ? (change(tool) ?? []) : [entry];
  });
  return changed.length === tools.length && changed.every((tool, index) => tool === tools[index]) ? null : changed;
}
