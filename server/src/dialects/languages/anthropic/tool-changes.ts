import { definitionIn, toolChanges } from '../../neutral/declared-tools.js';
import { asFields, asFieldsList, asText } from '../../neutral/fields.js';

/** A tool that the model may call, and its path in the request. */
export interface OfferedTool {
  readonly tool: unknown;
  readonly at: string;
}

/**
 * Returns the tools that are available at the end of a conversation. Instruction turns add and remove tools
 * (platform.claude.com, "Mid-conversation tool changes", November 2026), and deferred tools are hidden until the
 * conversation names them.
 * @param turns the messages of the request
 */
export function offeredTools(tools: readonly unknown[], turns: readonly unknown[]): OfferedTool[] {
  const declared = tools.map((tool, index): OfferedTool => ({ tool, at: `tools[${index}]` }));
  const changes = toolChanges(turns);
  const hidden = new Set(tools.some(searches) ? [] : tools.filter(isDeferred).map(nameOf));
  if (hidden.size === 0 && changes.length === 0) return declared;
  if (hidden.size > 0) for (const name of namedIn(turns)) hidden.delete(name);
  let offered = declared;
  for (const { block, at } of changes) {
    const definition = definitionIn(block);
    const name = nameOf(definition ?? block['tool']);
    if (definition) offered = [...offered.filter((each) => nameOf(each.tool) !== name), { tool: definition, at }];
    if (block['type'] === 'tool_removal') hidden.add(name);
    else hidden.delete(name);
  }
  return offered.filter(({ tool }) => !hidden.has(nameOf(tool)));
}

const nameOf = (tool: unknown): string => asText(asFields(tool)?.['name']);
const isDeferred = (tool: unknown): boolean => asFields(tool)?.['defer_loading'] === true;
/**
 * Anthropic's own tool search finds deferred tools. No other provider runs it, so all deferred tools are offered there.
 */
const searches = (tool: unknown): boolean => asText(asFields(tool)?.['type']).startsWith('tool_search_tool');

/** Returns the names of tools that the model has called, and that a tool search of the client has found. */
function namedIn(turns: readonly unknown[]): Set<string> {
  const blocks = asFieldsList(turns).flatMap(({ content }) => asFieldsList(content));
  const found = blocks.flatMap(({ content }) => asFieldsList(content)).map((each) => each['tool_name']);
  const called = blocks.filter(({ type }) => type === 'tool_use').map(({ name }) => name);
  return new Set([...found, ...called].map(asText));
}
