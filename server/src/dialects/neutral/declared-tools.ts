import { asFields, asFieldsList, asList, isEmpty, ofEachPart, type Fields } from './fields.js';

/** A tool of a request, and its path. */
export interface DeclaredTool {
  readonly at: string;
  readonly tool: Fields;
}

/** A block of Messages that changes the tools within a conversation, and the path of its definition. */
export interface ToolChange {
  readonly at: string;
  readonly block: Fields;
}

/** @returns another tool, the same one, or null for none */
type Change = (tool: Fields) => Fields | null;

/** The tools of each body, which several parts of a call read. */
const known = new WeakMap<Fields, readonly DeclaredTool[]>();

/**
 * The tools of a request in any dialect: `tools`, those in items of the input (Responses) and in messages (Kimi's chat), and those that
 * the conversation defines (Messages). The tools of a namespace follow it.
 */
export function declaredTools(body: Fields): readonly DeclaredTool[] {
  const found = known.get(body) ?? findTools(body);
  known.set(body, found);
  return found;
}

function findTools(body: Fields): DeclaredTool[] {
  const found = toolsIn(body['tools'], 'tools');
  for (const tools of toolsOfItems(asList(body['input']))) for (const tool of tools) found.push(tool);
  for (const tools of toolsOfMessages(asList(body['messages']))) for (const tool of tools) found.push(tool);
  for (const { at, block } of toolChanges(body['messages'])) {
    const tool = definitionIn(block);
    if (tool) found.push(...withInner(tool, at));
  }
  return found;
}

const none: readonly never[] = [];
const toolsOfItems = ofEachPart(
  (items, from) =>
    items.flatMap((item, index): readonly DeclaredTool[] => {
      const declaring = declaringItem(item);
      return declaring ? toolsIn(declaring['tools'], `input[${from + index}].tools`) : none;
    }),
  isEmpty,
);
const toolsOfMessages = ofEachPart(
  (turns, from) =>
    turns.flatMap((turn, index): readonly DeclaredTool[] => {
      const tools = asFields(turn)?.['tools'];
      return tools === undefined ? none : toolsIn(tools, `messages[${from + index}].tools`);
    }),
  isEmpty,
);

/** @returns the same body if nothing changes */
export function withTools(body: Fields, changeOne: Change): Fields {
  const change: Change = (tool) => changedNamespace(changeOne(tool), change);
  const tools = changedList(body['tools'], change);
  const given = asList(body['input']);
  const input = given.flatMap((item) => {
    const declaring = declaringItem(item);
    const own = declaring && changedList(declaring['tools'], change);
    if (!own) return [item];
    // The output of a search belongs to its call, so it stays, even without tools.
    return own.length === 0 && declaring['type'] === 'additional_tools' ? [] : [{ ...declaring, tools: own }];
  });
  const isInputChanged = input.length !== given.length || input.some((item, index) => item !== given[index]);
  const messages = changedList(body['messages'], (turn) => changedTurn(turn, change));
  if (!tools && !isInputChanged && !messages) return body;
  return {
    ...body,
    ...(tools ? { tools } : {}),
    ...(isInputChanged ? { input } : {}),
    ...(messages ? { messages } : {}),
  };
}

/** Returns the item if it declares tools in an input of Responses: an item of Codex, or the output of a tool search. */
export function declaringItem(item: unknown): Fields | null {
  const fields = asFields(item);
  const type = fields?.['type'];
  return type === 'additional_tools' || type === 'tool_search_output' ? fields : null;
}

/** Whether a block of a turn changes the tools. */
export const changesTools = ({ type }: Fields): boolean => type === 'tool_addition' || type === 'tool_removal';

/**
 * Returns the changes of tools in the turns of a conversation. A compaction keeps the changes of the turns that it
 * replaces.
 */
export const toolChanges = (turns: unknown): ToolChange[] => changesOfTurns(asList(turns)).flat();

const changesOfTurns = ofEachPart(
  (turns, from) => turns.flatMap((turn, index) => changesOfTurn(turn, from + index)),
  isEmpty,
);

function changesOfTurn(turn: unknown, index: number): readonly ToolChange[] {
  const content = asFields(turn)?.['content'];
  if (!Array.isArray(content)) return none;
  const found: ToolChange[] = [];
  for (const [position, each] of (content as unknown[]).entries()) {
    const block = asFields(each);
    if (!block) continue;
    if (changesTools(block)) found.push({ at: `messages[${index}].content[${position}].tool.definition`, block });
    if (block['type'] !== 'compaction') continue;
    for (const [number, kept] of asFieldsList(block['tool_changes']).entries()) {
      const at = `messages[${index}].content[${position}].tool_changes[${number}].tool.definition`;
      found.push({ at, block: kept });
    }
  }
  return found;
}

/** Returns the tool that a block defines. Null if the block only names a tool. */
export const definitionIn = ({ tool }: Fields): Fields | null => asFields(asFields(tool)?.['definition']);

/** @returns null for a namespace without further tools */
function changedNamespace(tool: Fields | null, change: Change): Fields | null {
  const tools = tool && changedList(tool['tools'], change);
  if (!tools) return tool;
  return tools.length === 0 ? null : { ...tool, tools };
}

/** @returns null for a turn without further content */
function changedTurn(turn: Fields, change: Change): Fields | null {
  const tools = changedList(turn['tools'], change);
  const content = changedList(turn['content'], (block) => changedBlock(block, change));
  if (!tools && !content) return turn;
  const isEmpty = (tools ?? asList(turn['tools'])).length === 0 && (content ? content.length === 0 : !turn['content']);
  return isEmpty ? null : { ...turn, ...(tools ? { tools } : {}), ...(content ? { content } : {}) };
}

function changedBlock(block: Fields, change: Change): Fields | null {
  if (block['type'] === 'compaction') {
    const kept = changedList(block['tool_changes'], (each) => changedBlock(each, change));
    return kept ? { ...block, tool_changes: kept } : block;
  }
  const given = changesTools(block) ? definitionIn(block) : null;
  if (!given) return block;
  const definition = change(given);
  if (definition === given) return block;
  return definition && { ...block, tool: { ...asFields(block['tool']), definition } };
}

const toolsIn = (value: unknown, at: string): DeclaredTool[] =>
  asList(value).flatMap((entry, index) => {
    const tool = asFields(entry);
    return tool ? withInner(tool, `${at}[${index}]`) : [];
  });

const withInner = (tool: Fields, at: string): DeclaredTool[] => [
  { at, tool },
  ...toolsIn(tool['tools'], `${at}.tools`),
];

function changedList(value: unknown, change: Change): unknown[] | null {
  const entries = asList(value);
  const changed = entries.flatMap((entry) => {
    const fields = asFields(entry);
    return fields ? (change(fields) ?? []) : [entry];
  });
  return changed.length === entries.length && changed.every((entry, index) => entry === entries[index])
    ? null
    : changed;
}
