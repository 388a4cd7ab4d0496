import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Asked } from './load.js';

/** Bodies of coding agents: recorded requests of Claude Code and Codex, grown by turns that read files. */

export type Fields = Record<string, unknown>;

/** Returns the longest recorded request of an agent. */
function recorded(agent: string): Fields {
  const file = join(import.meta.dirname, '../recorded/agents', `${agent}.json`);
  const requests = JSON.parse(readFileSync(file, 'utf8')) as Array<{ body: Fields }>;
  return requests
    .map(({ body }) => body)
    .reduce((a, b) => (JSON.stringify(a).length > JSON.stringify(b).length ? a : b));
}

/** The number of a turn, or the mark of one that differs by conversation or by call. */
type Turn = number | typeof sessionMark | typeof callMark;
const sessionMark = '{session}';
const callMark = '{call}';

/** Lines of a source file, as the tools of an agent return them. */
const read = (turn: Turn): string =>
  Array.from(
    { length: 50 },
    (_, line) => `${line + 1}\texport const value${turn}_${line} = readValue("${turn}", [${line}]);`,
  ).join('\n');

/** Adds turns to a history until the body has so many bytes. The last turn is new in each call. */
export function grown(body: Fields, list: string, bytes: number, turnOf: (turn: Turn) => Fields[]): Fields {
  // A gateway made the recorded items, and would remove their ids and the reasoning: with them no history passes through unchanged.
  const history = (body[list] as Fields[])
    .filter(({ type }) => type !== 'reasoning')
    .map(({ id: _id, ...item }): Fields => item);
  const [first, last] = [turnOf(sessionMark), turnOf(callMark)];
  history.push(...first);
  let length = JSON.stringify([body, first, last]).length;
  for (let turn = 0; length < bytes; turn++) {
    const added = turnOf(turn);
    history.push(...added);
    length += JSON.stringify(added).length;
  }
  return { ...body, [list]: [...history, ...last] };
}

export const claudeCode = recorded('claude-code');
export const codex = recorded('codex-cli');

export const claudeTurn = (turn: Turn): Fields[] => {
  const id = `toolu_${turn}`;
  return [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'Read', input: { file_path: `/project/${turn}.ts` } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: read(turn) }] },
  ];
};
export const codexTurn = (turn: Turn): Fields[] => {
  const id = `call_${turn}`;
  return [
    { type: 'function_call', call_id: id, name: 'exec_command', arguments: JSON.stringify({ cmd: `cat ${turn}.ts` }) },
    { type: 'function_call_output', call_id: id, output: read(turn) },
  ];
};

/** The turn of an agent that speaks chat completions. */
export const chatTurn = (turn: Turn): Fields[] => {
  const id = `call_${turn}`;
  const call = { name: 'read_file', arguments: JSON.stringify({ path: `${turn}.ts` }) };
  return [
    { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: call }] },
    { role: 'tool', tool_call_id: id, content: read(turn) },
  ];
};

/** Returns the bodies of as many conversations as there are clients. Each call continues one of them. */
export function bodies(body: Fields, clients: number): Pick<Asked, 'body' | 'bodyOf'> {
  const pieces = JSON.stringify(body).split(/({session}|{call})/);
  const bodyOf = (call: number): string => {
    const texts: Record<string, string> = { [sessionMark]: String(call % clients), [callMark]: `call${call}` };
    return pieces.map((piece) => texts[piece] ?? piece).join('');
  };
  return { body: bodyOf(0), bodyOf };
}
