import { asFields, asFieldsList, asList, asText, type Fields, type Json } from '../neutral/fields.js';

/** The result of a call whose tool was interrupted. An agent that was stopped in the middle of a call has none to send. */
const lost = 'The tool was interrupted, so its result is not known.';

/**
 * Adds a result for each call of the history that has none, in the dialect of the body.
 * @returns the same body when nothing changes
 */
export function withResults(body: Fields): Fields {
  const { messages, input, contents } = body;
  if (messages !== undefined) return changed(body, 'messages', withBlocks(withToolMessages(asList(messages))));
  if (input !== undefined) return changed(body, 'input', withOutputs(asList(input)));
  return changed(body, 'contents', withResponses(asFieldsList(contents)));
}

const changed = (body: Fields, name: string, turns: readonly unknown[]): Fields => {
  const given = asList(body[name]);
  return turns.length === given.length && turns.every((turn, index) => turn === given[index])
    ? body
    : { ...body, [name]: turns };
};

/** Chat completions: a message for each call follows the calls. */
function withToolMessages(messages: readonly unknown[]): unknown[] {
  const turns: unknown[] = [];
  let open = new Set<unknown>();
  const close = (): void => {
    for (const id of open) turns.push({ role: 'tool', tool_call_id: id, content: lost });
    open = new Set();
  };
  for (const message of messages) {
    const fields = asFields(message) ?? {};
    if (fields['role'] === 'tool') open.delete(fields['tool_call_id']);
    else {
      close();
      open = new Set(asFieldsList(fields['tool_calls']).map(({ id }) => id));
    }
    turns.push(message);
  }
  close();
  return turns;
}

/** Messages: a block for each call begins the next message. */
function withBlocks(messages: readonly unknown[]): unknown[] {
  const turns: unknown[] = [];
  let open = new Set<unknown>();
  const blocks = (): Json[] =>
    [...open].map((id) => ({ type: 'tool_result', tool_use_id: id, content: lost, is_error: true }));
  for (const message of messages) {
    const fields = asFields(message) ?? {};
    const content = typeof fields['content'] === 'string' ? [textBlock(fields['content'])] : asList(fields['content']);
    for (const block of content) open.delete(asFields(block)?.['tool_use_id']);
    if (open.size === 0) turns.push(message);
    else if (fields['role'] === 'user') turns.push({ ...fields, content: [...blocks(), ...content] });
    else turns.push({ role: 'user', content: blocks() }, message);
    open = new Set(content.flatMap((block) => idOfUse(asFields(block))));
  }
  if (open.size > 0) turns.push({ role: 'user', content: blocks() });
  return turns;
}

const textBlock = (text: string): Json => ({ type: 'text', text });
const idOfUse = (block: Fields | null): unknown[] => (block?.['type'] === 'tool_use' ? [block['id']] : []);

const outputTypes: ReadonlyMap<unknown, string> = new Map([
  ['function_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
]);

/** Responses: an item for each call is anywhere behind it. */
function withOutputs(input: readonly unknown[]): unknown[] {
  const items = input.map((item) => asFields(item) ?? {});
  const known = new Set(items.flatMap((item) => (asText(item['type']).endsWith('_output') ? [item['call_id']] : [])));
  return items.flatMap(({ type, call_id: id }, index) => {
    const output = outputTypes.get(type);
    return output === undefined || known.has(id)
      ? [input[index]]
      : [input[index], { type: output, call_id: id, output: lost }];
  });
}

/** Gemini: the next content has as many results as there were calls. */
function withResponses(contents: readonly Fields[]): Fields[] {
  const turns: Fields[] = [];
  let calls: readonly Fields[] = [];
  for (const content of contents) {
    const missing = unansweredOf(calls, content);
    const parts = asFieldsList(content['parts']);
    if (missing.length === 0) turns.push(content);
    else if (missing.length < calls.length) turns.push({ ...content, parts: [...parts, ...missing] });
    else turns.push({ role: 'user', parts: missing }, content);
    calls = fieldsIn(parts, 'functionCall');
  }
  return turns;
}

const fieldsIn = (parts: readonly Fields[], name: string): Fields[] =>
  parts.map((part) => asFields(part[name])).filter((each) => each !== null);

/** Calls and results are paired by their ids, or by their names where the client has no ids. */
function unansweredOf(calls: readonly Fields[], content: Fields): Json[] {
  if (calls.length === 0) return [];
  const results = fieldsIn(asFieldsList(content['parts']), 'functionResponse');
  return calls.flatMap(({ id, name }) => {
    const at = results.findIndex((result) =>
      id !== undefined && result['id'] !== undefined ? result['id'] === id : result['name'] === name,
    );
    if (at < 0) return [{ functionResponse: { ...(id === undefined ? {} : { id }), name, response: { error: lost } } }];
    results.splice(at, 1);
    return [];
  });
}
