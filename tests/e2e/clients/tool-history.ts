import type { ReceivedRequest } from '../../support/upstream/upstream.js';

type Json = Record<string, unknown>;

/** The tool calls in a request's history, and their results, each with the id or name that connects them. */
export interface ToolHistory {
  readonly calls: readonly string[];
  readonly results: ReadonlyArray<{ readonly call: string; readonly text: string }>;
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const contentOf = (messages: unknown): Json[] => list(messages).flatMap(({ content }) => list(content));

/** Reads the history in the dialect of any family. */
export function toolHistory({ path, body }: ReceivedRequest): ToolHistory {
  const sent = body ?? {};
  if (path.startsWith('/v1/messages')) {
    const blocks = contentOf(sent['messages']);
    return {
      calls: blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id)),
      results: blocks
        .filter(({ type }) => type === 'tool_result')
        .map(({ tool_use_id: id, content }) => ({ call: String(id), text: JSON.stringify(content) })),
    };
  }
  if (path.includes('enerateContent')) {
    // Google connects them by name.
    const parts = list(sent['contents']).flatMap((content) => list(content['parts']));
    return {
      calls: parts.flatMap(({ functionCall: call }) => (call ? [String((call as Json)['name'])] : [])),
      results: parts.flatMap(({ functionResponse: result }) => {
        const { name, response } = (result ?? {}) as Json;
        return result ? [{ call: String(name), text: JSON.stringify(response) }] : [];
      }),
    };
  }
  if (path.startsWith('/v1/responses')) {
    const items = list(sent['input']);
    return {
      calls: items.filter(({ type }) => type === 'function_call').map(({ call_id: id }) => String(id)),
      results: items
        .filter(({ type }) => type === 'function_call_output')
        .map(({ call_id: id, output }) => ({ call: String(id), text: JSON.stringify(output) })),
    };
  }
  const messages = list(sent['messages']);
  return {
    calls: messages.flatMap((message) => list(message['tool_calls']).map(({ id }) => String(id))),
    results: messages
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id: id, content }) => ({ call: String(id), text: JSON.stringify(content) })),
  };
}
