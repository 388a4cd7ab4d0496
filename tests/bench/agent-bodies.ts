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
const read = (turn: string | number): string =>
  Array.from(
    { length: 50 },
    (_, line) => `${line + 1}\texport const value${turn}_${line} = readValue("${turn}", [${line}]);`,
  ).join('\n');

/** Adds turns to a history until the body has so many bytes. The last turns are new in each call. */
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

const recordedClaudeCode = recorded('claude-code');
/** The version of Claude Code that was recorded does not send `cch`, two others change it with each call (claude-code#68900). */
export const claudeCode: Fields = {
  ...recordedClaudeCode,
  system: [
    { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1.177.01c; cc_entrypoint=cli; cch=${callMark};` },
    ...(recordedClaudeCode['system'] as Fields[]).slice(1),
  ],
};
const recordedCodex = recorded('codex-cli');
/** Codex sends ids that change, in an order that changes with each call. */
export const codex: Fields = {
  ...recordedCodex,
  client_metadata: { ...(recordedCodex['client_metadata'] as Fields), turn_id: callMark },
};

function claudeExchange(name: string, mark?: Fields): Fields[] {
  const id = `toolu_${name}`;
  const result = { type: 'tool_result', tool_use_id: id, content: read(name), ...mark };
  return [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'Read', input: { file_path: `/project/${name}.ts` } }],
    },
    { role: 'user', content: [result] },
  ];
}
/** Claude Code marks the last block of its history, so that the turn which had the mark is sent without it. */
export const claudeTurn = (turn: Turn): Fields[] =>
  turn === callMark
    ? [...claudeExchange(`${turn}_before`), ...claudeExchange(turn, { cache_control: { type: 'ephemeral' } })]
    : claudeExchange(String(turn));
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

/**
 * Returns the bodies of as many conversations as there are clients. Each call continues that of its client. They are written once, so
 * that sending them makes no garbage: its collection would stop clients and provider.
 */
export function bodies(body: Fields, clients: number): Required<Pick<Asked, 'body' | 'bodyOf'>> {
  const pieces = JSON.stringify(body).split(/({session}|{call})/);
  const prepared = Array.from({ length: clients }, (_, client) => {
    const texts: Record<string, string> = { [sessionMark]: String(client), [callMark]: nameOf(0) };
    const parts = pieces.map((piece) => Buffer.from(texts[piece] ?? piece));
    const marks: number[] = [];
    let at = 0;
    for (const [index, { length }] of parts.entries()) {
      if (pieces[index] === callMark) marks.push(at);
      at += length;
    }
    return { bytes: Buffer.concat(parts), marks };
  });
  const bodyOf = (call: number, client: number): Buffer => {
    const own = prepared[client];
    if (!own) throw new Error(`there are bodies of ${clients} clients, and none of client ${client}`);
    for (const at of own.marks) own.bytes.write(nameOf(call), at);
    return own.bytes;
  };
  return { body: bodyOf(0, 0).toString(), bodyOf };
}

/** As long for each call. */
const nameOf = (call: number): string => `call${String(call).padStart(8, '0')}`;
