/** Responses that clients continue, read and delete by their ids. */
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { events, json } from '../support/upstream/replies.js';
import { RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

type Json = Record<string, unknown>;

const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const completion = (content: string): Json => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  usage,
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});
const native = (id: string): Json => ({
  id,
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-4o',
  output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }],
  usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
});

const ask = async (key: string, body: Json): Promise<Json> => {
  const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', ...body });
  expect(response.status).toBe(200);
  return (await response.json()) as Json;
};
const stored = (method: string, path: string, key: string): Promise<Response> =>
  fetch(`${relay.url}/v1/responses/${path}`, { method, headers: { authorization: `Bearer ${key}` } });
const sentMessages = (index: number): unknown => relay.upstream.requests[index]?.body?.['messages'];

describe('at a provider that stores nothing', () => {
  let key: string;
  beforeEach(async () => {
    await relay.addChannel({ type: 43 });
    ({ key } = await relay.addToken());
  });

  it('a conversation goes on by the id of its last response', async () => {
    relay.upstream.script({}, json(completion('Hello')), json(completion('Fine')), json(completion('Bye')));
    const first = await ask(key, { input: 'hi', instructions: 'Be brief' });
    expect(first).toMatchObject({ store: true, previous_response_id: null });
    const second = await ask(key, { input: 'how are you?', previous_response_id: first['id'] });
    expect(second).toMatchObject({ previous_response_id: first['id'] });
    await ask(key, { input: [{ role: 'user', content: 'bye' }], previous_response_id: second['id'] });
    // Instructions apply only to the call that sends them.
    expect(sentMessages(2)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'how are you?' },
      { role: 'assistant', content: 'Fine' },
      { role: 'user', content: 'bye' },
    ]);
  });

  it.each([false, true])('conversations stay apart whose provider repeats its ids (stream: %s)', async (stream) => {
    const chunks = (content: string): string[] => [
      JSON.stringify({
        id: 'chatcmpl-417',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: 'stop' }],
      }),
      JSON.stringify({
        id: 'chatcmpl-417',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [],
        usage,
      }),
    ];
    const reply = (text: string) => (stream ? events(chunks(text)) : json({ ...completion(text), id: 'chatcmpl-417' }));
    relay.upstream.script({}, reply('Hi Ann'), reply('Hi Bob'), json(completion('1234')));
    const made: string[] = [];
    for (const input of ['I am Ann', 'I am Bob']) {
      const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', input, stream });
      made.push(/"id":"(resp_[^"]+)"/.exec(await response.text())?.[1] ?? '');
    }
    await ask(key, { input: 'Who am I?', previous_response_id: made[0] });
    expect(sentMessages(2)).toEqual([
      { role: 'user', content: 'I am Ann' },
      { role: 'assistant', content: 'Hi Ann' },
      { role: 'user', content: 'Who am I?' },
    ]);
  });

  it('so does a streamed one, and items are found by their ids', async () => {
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
    const choice = { index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' };
    relay.upstream.script(
      { path: '/v1' },
      events([JSON.stringify({ ...chunk, choices: [choice] }), JSON.stringify({ ...chunk, choices: [], usage })]),
      json(completion('Fine')),
    );
    const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', input: 'hi', stream: true });
    const last = (await response.text()).split('\n').findLast((line) => line.startsWith('data: {')) ?? '';
    const { response: made } = JSON.parse(last.slice('data: '.length)) as {
      response: { output: Array<{ id: string }> };
    };
    await ask(key, {
      input: [
        { role: 'user', content: 'hi' },
        { type: 'item_reference', id: made.output[0]?.id },
        { role: 'user', content: 'go on' },
      ],
    });
    expect(sentMessages(1)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'go on' },
    ]);
  });

  it('it can be read, its input listed, and deleted; by its own token alone', async () => {
    relay.upstream.script({}, json(completion('Hello')));
    const made = await ask(key, { input: 'hi' });
    const id = String(made['id']);
    const other = (await relay.addToken()).key;
    expect((await stored('GET', id, other)).status).toBe(404);
    expect((await stored('DELETE', id, other)).status).toBe(404);
    expect(await (await stored('GET', id, key)).json()).toEqual(made);
    expect(await (await stored('GET', `${id}/input_items`, key)).json()).toMatchObject({
      object: 'list',
      has_more: false,
      data: [{ type: 'message', role: 'user', content: 'hi' }],
    });
    expect(await (await stored('DELETE', id, key)).json()).toEqual({ id, object: 'response.deleted', deleted: true });
    expect((await stored('GET', id, key)).status).toBe(404);
    const refused = await relay.post('/v1/responses', key, { model: 'gpt-4o', input: 'hi', previous_response_id: id });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('previous_response_id')]);
  });

  it('nothing is stored where the client does not want it', async () => {
    relay.upstream.script({}, json(completion('Hello')));
    const made = await ask(key, { input: 'hi', store: false });
    expect(made['store']).toBe(false);
    expect((await stored('GET', String(made['id']), key)).status).toBe(404);
  });

  it('counts the tokens of what a call continues', async () => {
    relay.upstream.script({}, json(completion('Hello')));
    const made = await ask(key, { input: 'a long first message of many words' });
    const count = async (body: Json): Promise<number> => {
      const response = await relay.post('/v1/responses/input_tokens', key, { model: 'gpt-4o', input: 'hi', ...body });
      const counted = (await response.json()) as { object: string; input_tokens: number };
      expect(counted.object).toBe('response.input_tokens');
      return counted.input_tokens;
    };
    expect(await count({ previous_response_id: made['id'] })).toBeGreaterThan((await count({})) + 5);
  });
});

describe('what is stored', () => {
  /** Records everything that the server writes to the shared state, with its lifetime. */
  class WrittenState extends MemoryState {
    readonly written: Array<{ readonly key: string; readonly value: string; readonly seconds: number }> = [];

    override set(key: string, value: string, seconds: number): Promise<void> {
      this.written.push({ key, value, seconds });
      return super.set(key, value, seconds);
    }
  }

  const served = async (settings: { readonly responseSeconds?: number }) => {
    const state = new WrittenState();
    const node = await RelayHarness.start({ state, settings });
    await node.addChannel({ type: 43 });
    const { key } = await node.addToken();
    node.upstream.script({}, json(completion('a secret word')));
    const response = await node.post('/v1/responses', key, { model: 'gpt-4o', input: 'another secret' });
    const { id } = (await response.json()) as { id: string };
    await node.idle();
    const read = await fetch(`${node.url}/v1/responses/${id}`, { headers: { authorization: `Bearer ${key}` } });
    const again = await node.post('/v1/responses', key, { model: 'gpt-4o', input: 'x', previous_response_id: id });
    const text = await again.text();
    await node.stop();
    return {
      read: read.status,
      again: again.status,
      text,
      written: state.written.filter(({ key: name }) => name.includes(id.slice('resp_'.length))),
    };
  };

  it('is sealed, and kept for an hour by default', async () => {
    const { read, again, written } = await served({});
    expect([read, again]).toEqual([200, 200]);
    // Two entries are written: one for the response, and one for the ids of its items.
    expect(written.map(({ seconds }) => seconds)).toEqual([3600, 3600]);
    for (const { value } of written) {
      expect(value).not.toMatch(/secret|word/);
      expect(Buffer.from(value, 'base64').toString()).not.toMatch(/secret|word/);
    }
  });

  it('is kept for the seconds of the site, and not at all when that is 0', async () => {
    expect((await served({ responseSeconds: 90 })).written.map(({ seconds }) => seconds)).toEqual([90, 90]);
    const { read, again, text, written } = await served({ responseSeconds: 0 });
    expect([read, again, written]).toEqual([404, 400, []]);
    expect(text).toContain('previous_response_id');
  });
});

describe('at a provider that stores responses', () => {
  it('a conversation goes on at the channel and with the key that made its last response', async () => {
    for (let index = 0; index < 4; index++) await relay.addChannel({ type: 1, key: `sk-a${index},sk-b${index}` });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(native('resp_1')));
    await ask(key, { input: 'hi' });
    for (let index = 0; index < 12; index++) await ask(key, { input: 'go on', previous_response_id: 'resp_1' });
    const [first, ...rest] = relay.upstream.requests;
    expect(rest.map((each) => each.key)).toEqual(rest.map(() => first?.key));
    expect(rest[0]?.body).toMatchObject({ previous_response_id: 'resp_1' });
  });

  it('a response whose channel was disabled, or that nothing is known of, is 400 previous_response_not_found', async () => {
    const made = await relay.addChannel({ type: 1, key: 'sk-a' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(native('resp_1')));
    await ask(key, { input: 'hi' });
    await relay.addChannel({ type: 1, key: 'sk-b,sk-c' });
    const refused = async (id: string): Promise<unknown[]> => {
      const before = relay.upstream.requests.length;
      const response = await relay.post('/v1/responses', key, {
        model: 'gpt-4o',
        input: 'hi',
        previous_response_id: id,
      });
      const { error } = (await response.json()) as { error: Json };
      expect(error['message']).toContain(`'${id}'`);
      return [response.status, error['code'], relay.upstream.requests.length - before];
    };
    expect(await refused('resp_of_another_token')).toEqual([400, 'previous_response_not_found', 0]);
    await relay.sql("UPDATE channels SET status = 'disabled' WHERE id = $1", [made]);
    await relay.changed({ kind: 'channel', id: made });
    expect(await refused('resp_1')).toEqual([400, 'previous_response_not_found', 0]);
  });

  it('a response of another token is not continued, though its account is the only one', async () => {
    await relay.addChannel({ type: 1, key: 'sk-a' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(native('resp_1')));
    await ask(key, { input: 'My secret is 42.' });
    const goOn = { model: 'gpt-4o', input: 'What is my secret?', previous_response_id: 'resp_1' };
    for (const other of [await relay.addToken(), await relay.addToken({ userId })]) {
      const response = await relay.post('/v1/responses', other.key, goOn);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('previous_response_not_found');
    }
    expect(relay.upstream.requests).toHaveLength(1);
    await ask(key, goOn);
    expect(relay.upstream.requests).toHaveLength(2);
  });

  it('a response that nothing is known of is not continued where the account is shared', async () => {
    await relay.addChannel({ type: 1, key: 'sk-a' });
    const { key } = await relay.addToken();
    const given = { model: 'gpt-4o', input: 'hi', previous_response_id: 'resp_old' };
    const response = await relay.post('/v1/responses', key, given);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('previous_response_not_found');
    expect(relay.upstream.requests).toEqual([]);
  });

  it('a response that nothing is known of goes to the account of its user, which answers itself', async () => {
    const { key, userId } = await relay.addToken();
    await relay.addChannel({ type: 1, key: 'sk-b' });
    await relay.addChannel({ type: 1, key: 'sk-a', ownerId: userId });
    relay.upstream.script({}, json(native('resp_2')));
    await ask(key, { input: 'hi', previous_response_id: 'resp_old' });
    expect(relay.upstream.requests[0]?.body).toMatchObject({ previous_response_id: 'resp_old' });
  });

  it('a response that nothing is known of goes to the only own account whose dialect has such ids', async () => {
    const { key, userId } = await relay.addToken();
    await relay.addChannel({ type: 43, key: 'sk-b,sk-c', priority: 9, ownerId: userId });
    await relay.addChannel({ type: 1, key: 'sk-a', ownerId: userId });
    relay.upstream.script({}, json(native('resp_2')));
    await ask(key, { input: 'hi', previous_response_id: 'resp_old' });
    expect(relay.upstream.requests.map((each) => each.key)).toEqual(['sk-a']);
  });

  it('a response that nothing is known of is 400 where no account can have made it', async () => {
    await relay.addChannel({ type: 43, key: 'sk-b' });
    const { key } = await relay.addToken();
    const given = { model: 'gpt-4o', input: 'hi', previous_response_id: 'resp_old' };
    const response = await relay.post('/v1/responses', key, given);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('previous_response_not_found');
    expect(relay.upstream.requests).toEqual([]);
  });

  describe('encrypted reasoning', () => {
    const proof = `gAAAAAB${'k'.repeat(60)}`;
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: proof };
    const thinking = { ...native('resp_1'), output: [reasoning, ...(native('resp_1')['output'] as Json[])] };
    const goOn = { input: [reasoning, { role: 'user', content: 'go on' }], store: false };
    const eight = async (): Promise<number[]> =>
      Promise.all([0, 1, 2, 3].map((index) => relay.addChannel({ key: `sk-a${index},sk-b${index}` })));

    it.each([false, true])('goes back to the account that made it (stream: %s)', async (stream) => {
      await eight();
      const { key } = await relay.addToken();
      const completed = JSON.stringify({ type: 'response.completed', response: thinking });
      relay.upstream.script({}, stream ? events([completed], { done: false }) : json(thinking));
      const send = async (body: Json): Promise<void> => {
        const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', store: false, stream, ...body });
        expect(response.status).toBe(200);
        await response.text();
      };
      await send({ input: 'hi' });
      for (let turn = 0; turn < 12; turn++) await send(goOn);
      const [first, ...rest] = relay.upstream.requests;
      expect(rest.map((each) => each.key)).toEqual(rest.map(() => first?.key));
      expect(rest[0]?.body?.['input']).toEqual(goOn.input);
    });

    const refused = async (key: string): Promise<unknown[]> => {
      const before = relay.upstream.requests.length;
      const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', ...goOn });
      const { error } = (await response.json()) as { error: Json };
      return [response.status, error['code'], relay.upstream.requests.length - before];
    };

    it('is 400 encrypted_reasoning_unusable when that account cannot serve the call', async () => {
      const ids = await eight();
      const { key } = await relay.addToken();
      relay.upstream.script({}, json(thinking));
      await ask(key, { input: 'hi', store: false });
      const [made] = relay.upstream.requests.map((each) => each.key);
      const id = ids[Number(made?.slice(-1))];
      await relay.sql("UPDATE channels SET status = 'disabled' WHERE id = $1", [id]);
      await relay.changed({ kind: 'channel', id: id ?? 0 });
      expect(await refused(key)).toEqual([400, 'encrypted_reasoning_unusable', 0]);
      // The gateway does not know this reasoning for another token, so the provider decides.
      expect((await refusedBy(await relay.addToken())).slice(0, 2)).toEqual([400, 'encrypted_reasoning_unusable']);
    });

    const refusedBy = ({ key }: { key: string }): Promise<unknown[]> => {
      const error = {
        message: 'could not be verified',
        type: 'invalid_request_error',
        code: 'invalid_encrypted_content',
      };
      relay.upstream.script({}, json({ error }, 400));
      return refused(key);
    };

    it('is left out by channels of other dialects, which any of them may serve', async () => {
      await relay.addChannel({ type: 43, key: 'sk-x,sk-y' });
      const { key } = await relay.addToken();
      relay.upstream.script({}, json(completion('Fine')));
      await ask(key, goOn);
      expect(JSON.stringify(relay.upstream.requests[0]?.body)).not.toContain(proof);
    });
  });

  it('it is read and deleted there', async () => {
    await relay.addChannel({ type: 1, key: 'sk-one' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(native('resp_1')), json(native('resp_1')), json({ id: 'resp_1', deleted: true }));
    await ask(key, { input: 'hi' });
    expect(await (await stored('GET', 'resp_1?include[]=x', key)).json()).toMatchObject({ id: 'resp_1' });
    expect((await stored('DELETE', 'resp_1', key)).status).toBe(200);
    expect(relay.upstream.requests.slice(1).map(({ method, path, key: sent }) => [method, path, sent])).toEqual([
      ['GET', '/v1/responses/resp_1?include[]=x', 'sk-one'],
      ['DELETE', '/v1/responses/resp_1', 'sk-one'],
    ]);
    expect((await stored('GET', 'resp_1', key)).status).toBe(404);
  });
});

describe('an image that the model drew', () => {
  const png = `iVBORw0KGgo${'A'.repeat(300)}=`;
  const drawn = async (
    model: string,
    stream: boolean,
    inlineData: object = { mimeType: 'image/png', data: png },
  ): Promise<Json> => {
    const content = { role: 'model', parts: [{ text: 'here' }, { inlineData }] };
    const drew = {
      candidates: [{ content, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 },
    };
    const { key } = await relay.addToken();
    relay.upstream.script({}, stream ? events([JSON.stringify(drew)], { done: false }) : json(drew), json(drew));
    const response = await relay.post('/v1/responses', key, { model, input: 'draw a cat', stream });
    const text = await response.text();
    const last = text.split('\n').findLast((line) => line.startsWith('data: {')) ?? '';
    const made = stream
      ? (JSON.parse(last.slice('data: '.length)) as { response: Json }).response
      : (JSON.parse(text) as Json);
    return { key, id: made['id'], output: made['output'] };
  };

  it.each([
    ['gemini-2.5-flash-image', false, {}],
    ['gemini-2.5-flash-image', true, {}],
    // From version 3 on, Google refuses an image without a signature in the history.
    ['gemini-3-pro-image', false, { thoughtSignature: 'skip_thought_signature_validator' }],
  ])('is in the next turn at %s (stream: %s)', async (model, stream, signature) => {
    await relay.addChannel({ type: 24, models: model });
    const { key, id, output } = await drawn(model, stream);
    expect(output).toMatchObject([{ type: 'message' }, { type: 'image_generation_call', result: png }]);
    const next = { model, input: 'make it blue', previous_response_id: id };
    const response = await relay.post('/v1/responses', String(key), next);
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, null]);
    expect(relay.upstream.requests[1]?.body?.['contents']).toEqual([
      { role: 'user', parts: [{ text: 'draw a cat' }] },
      {
        role: 'model',
        parts: [{ text: 'here' }, { inlineData: { mimeType: 'image/png', data: png }, ...signature }],
      },
      { role: 'user', parts: [{ text: 'make it blue' }] },
    ]);
  });

  it('can be named by its id alone', async () => {
    const model = 'gemini-2.5-flash-image';
    await relay.addChannel({ type: 24, models: model });
    const { key, output } = await drawn(model, false);
    const { id, type } = (output as Json[])[1] ?? {};
    const input = [
      { role: 'user', content: 'make it blue' },
      { type, id },
    ];
    expect((await relay.post('/v1/responses', String(key), { model, input })).status).toBe(200);
    expect(relay.upstream.requests[1]?.body?.['contents']).toEqual([
      { role: 'user', parts: [{ text: 'make it blue' }] },
      { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: png } }] },
    ]);
  });

  it.each([false, true])('names its format, in which it goes on (stream: %s)', async (stream) => {
    const model = 'gemini-2.5-flash-image';
    await relay.addChannel({ type: 24, models: model });
    const inlineData = { mimeType: 'image/jpeg', data: `/9j/4AAQSkZJ${'A'.repeat(300)}` };
    const { key, id, output } = await drawn(model, stream, inlineData);
    expect(output).toMatchObject([{}, { type: 'image_generation_call', output_format: 'jpeg' }]);
    await relay.post('/v1/responses', String(key), { model, input: 'make it blue', previous_response_id: id });
    expect(relay.upstream.requests[1]?.body?.['contents']).toMatchObject([
      {},
      { parts: [{ text: 'here' }, { inlineData }] },
      {},
    ]);
  });

  it.each<[string, (made: Json, image: Json) => Json]>([
    ['continued by its id', (made) => ({ previous_response_id: made['id'], input: 'make it blue' })],
    ['sent again', (_made, image) => ({ input: [image, { role: 'user', content: 'make it blue' }] })],
  ])('is input of a provider of Responses, which knows no such id: %s', async (_name, next) => {
    const model = 'gemini-2.5-flash-image';
    const first = await relay.addChannel({ type: 24, models: model });
    const made = await drawn(model, false);
    await relay.sql("UPDATE channels SET status = 'disabled' WHERE id = $1", [first]);
    await relay.changed({ kind: 'channel', id: first });
    await relay.addChannel({ type: 1, models: model });
    relay.upstream.reset();
    const ended = { id: 'resp_1', object: 'response', status: 'completed', output: [] };
    relay.upstream.script({}, json({ ...ended, usage: { input_tokens: 9, output_tokens: 1, total_tokens: 10 } }));
    const image = (made['output'] as Json[])[1] ?? {};
    const given = { model, store: false, ...next(made, image) };
    expect((await relay.post('/v1/responses', String(made['key']), given)).status).toBe(200);
    const input = relay.upstream.requests[0]?.body?.['input'] as Json[];
    expect(input.slice(-2)).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${png}` }] },
      expect.objectContaining({ role: 'user', content: 'make it blue' }),
    ]);
  });

  it('is left out by name where the provider takes no images of the model', async () => {
    const model = 'gemini-2.5-flash-image';
    const first = await relay.addChannel({ type: 24, models: model });
    const { key, id } = await drawn(model, false);
    await relay.sql("UPDATE channels SET status = 'disabled' WHERE id = $1", [first]);
    await relay.changed({ kind: 'channel', id: first });
    await relay.addChannel({ type: 43, models: model });
    relay.upstream.reset();
    relay.upstream.script({}, json(completion('blue')));
    const next = { model, input: 'make it blue', previous_response_id: id };
    const response = await relay.post('/v1/responses', String(key), next);
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, 'input.image_generation_call']);
    expect(JSON.stringify(relay.upstream.requests[0]?.body)).not.toContain(png);
  });
});

it('ids of nothing are 404, and no key is 401', async () => {
  const { key } = await relay.addToken();
  const missing = await stored('DELETE', 'resp_x', key);
  expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining("'resp_x' not found")]);
  expect((await stored('GET', 'resp_x', 'sk-unknown')).status).toBe(401);
});
