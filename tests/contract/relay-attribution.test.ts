/** Claude Code sends a line for Anthropic's billing, which no other provider needs. */
import { json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

const contents = {
  candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'Hello' }] } }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
};
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'end_turn',
  content: [{ type: 'text', text: 'Hello' }],
  usage: { input_tokens: 10, output_tokens: 2 },
};
describe('the line of Claude Code for Anthropic’s bill', () => {
  // See claude-code#68900 and cc-switch#2350 (99 % of the prompt is cached without this line).
  const line = (at: number) =>
    `x-anthropic-billing-header: cc_version=2.1.332.${at}; cc_entrypoint=cli; cch=${at}6ee5;`;
  const asking = (at: number) => ({
    model: 'm',
    max_tokens: 10,
    system: [
      { type: 'text', text: line(at) },
      { type: 'text', text: 'You are an agent.' },
    ],
    messages: userMessage('hi'),
  });
  const completion = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  };

  it.each([
    [1, completion],
    [43, completion],
    [24, contents],
    [62, message],
  ])('does not change the prompt from turn to turn at type %i', async (type, answer) => {
    await relay.addChannel({ type, models: 'm' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(answer));
    const responses = [
      await relay.post('/v1/messages', key, asking(1)),
      await relay.post('/v1/messages', key, asking(2)),
    ];
    expect(responses.map(({ headers }) => headers.get('x-tollgate-dropped'))).toEqual([
      expect.stringContaining('x-anthropic-billing-header'),
      expect.stringContaining('x-anthropic-billing-header'),
    ]);
    const [first, second] = relay.upstream.requests;
    expect(first?.rawBody.toString()).toContain('You are an agent.');
    expect(first?.rawBody.equals(second?.rawBody ?? Buffer.alloc(0))).toBe(true);
  });

  it.each([
    [14, 'sk-ant'],
    [33, 'AK|SK|us-east-1'],
  ])('reaches Anthropic at type %i', async (type, channelKey) => {
    await relay.addChannel({ type, key: channelKey, models: 'm' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    await relay.post('/v1/messages', key, asking(1));
    expect(relay.upstream.requests[0]?.body?.['system']).toEqual(asking(1).system);
  });

  it('is no part of a session: its calls stay at one key', async () => {
    await relay.addChannel({ type: 43, models: 'm', key: 'a,b,c,d,e,f,g,h' });
    await relay.addChannel({ type: 43, models: 'm', key: 'i,j,k,l' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(completion));
    const long = { type: 'text', text: 'You are an agent. '.repeat(400) };
    for (let at = 0; at < 8; at++) {
      await relay.post('/v1/messages', key, { ...asking(at), system: [{ type: 'text', text: line(at) }, long] });
    }
    expect(new Set(relay.upstream.requests.map((each) => each.key)).size).toBe(1);
  });
});
