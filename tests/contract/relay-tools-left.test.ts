/** Tools ran before a response ended without its usage report. The provider bills them, so the caller is charged. */
import type { ServerResponse } from 'node:http';
import { openStream, writeOrLeave } from '../support/upstream/replies.js';
import { toEvent } from '../support/upstream/recordings.js';
import type { Reply } from '../support/upstream/upstream.js';
import { type LogRow, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
  expect(await relay.replayedDifferently()).toEqual([]);
});

type Json = Record<string, unknown>;
type Ending = 'the client leaves' | 'the provider breaks off';

/** Sends events without the last one, and closes the connection after a while. */
const unfinished =
  (data: readonly Json[]): Reply =>
  async (response: ServerResponse) => {
    openStream(response);
    for (const item of data) await writeOrLeave(response, toEvent(JSON.stringify(item)));
    setTimeout(() => response.destroy(), 300);
  };

async function rowOf(ending: Ending, path: string, body: Json, data: readonly Json[]): Promise<LogRow> {
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, unfinished(data));
  const leaving = new AbortController();
  const response = await relay.post(path, key, { ...body, stream: true }, { signal: leaving.signal });
  const reader = response.body?.getReader();
  for (let text = ''; !text.includes('seen');) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += Buffer.from(value ?? []).toString();
  }
  if (ending === 'the client leaves') leaving.abort();
  else while (!(await reader?.read().catch(() => ({ done: true })))?.done);
  const [row] = await relay.logsOf(userId, 1);
  return row as LogRow;
}

const fees = ({ other }: LogRow): Array<readonly [string, number]> =>
  ((other['components'] ?? []) as Array<[string, number, number]>)
    .filter(([name]) => /search|execution|image/i.test(name))
    .map(([name, count]) => [name, count] as const);

const item = (output: Json): Json => ({ type: 'response.output_item.done', output_index: 0, item: output });
const created = (tools: readonly Json[]): Json => ({ type: 'response.created', response: { id: 'resp_1', tools } });
const text = { type: 'response.output_text.delta', item_id: 'm', output_index: 5, content_index: 0, delta: 'seen' };
const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } };

const endings: Ending[] = ['the client leaves', 'the provider breaks off'];

describe.each(endings)('when %s', (ending) => {
  it.each<[string, Json, readonly Json[], ReadonlyArray<readonly [string, number]>]>([
    [
      'searches, and no opened page or failed search',
      { type: 'web_search' },
      [search, search, { ...search, action: { type: 'open_page' } }, { ...search, status: 'failed' }],
      [['webSearch', 2]],
    ],
    [
      'a search of files',
      { type: 'file_search' },
      [{ type: 'file_search_call', status: 'completed' }],
      [['fileSearch', 1]],
    ],
    [
      'a container by its memory',
      { type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } },
      [
        { type: 'code_interpreter_call', status: 'completed', container_id: 'a' },
        { type: 'code_interpreter_call', status: 'completed', container_id: 'a' },
      ],
      [['codeExecution', 4]],
    ],
    [
      'an image',
      { type: 'image_generation' },
      [{ type: 'image_generation_call', status: 'completed', size: '1024x1024', quality: 'low', result: 'aGk=' }],
      [['imageOutput', 272]],
    ],
  ])('Responses pay for %s', async (_name, tool, output, expected) => {
    await relay.addChannel();
    const body = { model: 'gpt-4o', input: 'hi', tools: [tool] };
    const row = await rowOf(ending, '/v1/responses', body, [created([tool]), ...output.map(item), text]);
    expect(fees(row)).toEqual(expected);
    expect(row.completion_tokens).toBeGreaterThan(0);
    expect(row.prompt_tokens).toBeGreaterThan(0);
  });

  const claude = 'claude-3-7-sonnet-20250219';
  const start = {
    type: 'message_start',
    message: {
      id: 'msg_1',
      model: claude,
      role: 'assistant',
      content: [],
      usage: { input_tokens: 100, output_tokens: 1 },
    },
  };
  const block = (index: number, content: Json): Json[] => [
    { type: 'content_block_start', index, content_block: content },
    { type: 'content_block_stop', index },
  ];
  const use = (name: string): Json => ({ type: 'server_tool_use', id: 'srvtoolu_1', name, input: {} });
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
  const failed = { ...found, content: { type: 'web_search_tool_result_error', error_code: 'unavailable' } };
  const said = [
    { type: 'content_block_start', index: 9, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 9, delta: { type: 'text_delta', text: 'seen' } },
  ];
  const tools = [
    { type: 'web_search_20250305', name: 'web_search' },
    { type: 'code_execution_20250825', name: 'code_execution' },
  ];

  it.each<[string, string, readonly Json[], ReadonlyArray<readonly [string, number]>]>([
    ['searches', '/v1/messages', [use('web_search'), found, use('web_search'), found], [['webSearch', 2]]],
    [
      'searches that did not fail',
      '/v1/messages',
      [use('web_search'), found, use('web_search'), failed],
      [['webSearch', 1]],
    ],
    ['a search that runs', '/v1/messages', [use('web_search')], [['webSearch', 1]]],
    ['a container', '/v1/messages', [use('bash_code_execution'), use('bash_code_execution')], [['codeExecution', 1]]],
  ])('Messages pay for %s', async (_name, path, blocks, expected) => {
    await relay.addChannel({ type: 14, models: claude });
    const body = { model: claude, max_tokens: 100, messages: userMessage('hi'), tools };
    const data = [start, ...blocks.flatMap((content, index) => block(index, content)), ...said];
    const row = await rowOf(ending, path, body, data);
    expect(fees(row)).toEqual(expected);
    expect(row.prompt_tokens).toBeGreaterThanOrEqual(100);
  });

  it('the prices of a card count, too', async () => {
    relay.setOptions({ PriceCards: { 'gpt-4o': 'built-in' } });
    await relay.addChannel();
    const body = { model: 'gpt-4o', input: 'hi', tools: [{ type: 'web_search' }] };
    const row = await rowOf(ending, '/v1/responses', body, [created([]), item(search), text]);
    expect(fees(row)).toEqual([['webSearch', 1]]);
  });
});
