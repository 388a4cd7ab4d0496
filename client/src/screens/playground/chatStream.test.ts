import { EventReader, openChat, ChatFailure, reconnecting, type ChatListener, type ChatPayload } from './chatStream.js';

const payload: ChatPayload = {
  messages: [{ role: 'user', content: 'hi' }],
  stream: true,
  model: 'gpt-4o-mini',
  group: 'default',
  temperature: 0,
};
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const stream =
  ': comment\n\n' +
  chunk({ role: 'assistant', content: '' }) +
  chunk({ reasoning_content: 'Grüße? ' }) +
  chunk({ content: 'Héllo ' }) +
  chunk({ content: '世界' }, 'length').replaceAll('\n', '\r\n') +
  'data: [DONE]\n\n';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function answerWith(parts: readonly Uint8Array[], init: ResponseInit = {}): jest.Mock {
  const fetch = jest.fn(() => {
    const left = [...parts];
    const read = () => {
      const value = left.shift();
      return Promise.resolve({ done: value === undefined, value });
    };
    return Promise.resolve({
      ok: (init.status ?? 200) < 400,
      status: init.status ?? 200,
      headers: { get: (name: string) => (init.headers as Record<string, string> | undefined)?.[name] ?? null },
      body: { getReader: () => ({ read }) },
      text: () => Promise.resolve(new TextDecoder().decode(parts[0])),
    });
  });
  globalThis.fetch = fetch as never;
  return fetch;
}

async function heard(parts: readonly Uint8Array[], init?: ResponseInit) {
  const said = { text: '', reasoning: '', finished: '', requestId: null as string | null };
  const listener: ChatListener = {
    started: (id) => void (said.requestId = id),
    text: (text) => void (said.text += text),
    reasoning: (text) => void (said.reasoning += text),
    finished: (reason) => void (said.finished = reason),
  };
  const fetch = answerWith(parts, init);
  await openChat(7)(payload, listener, new AbortController().signal);
  return { said, fetch };
}

it('hears the same wherever the network cuts the bytes', async () => {
  const all = bytes(stream);
  for (let at = 1; at < all.length; at++) {
    const { said } = await heard([all.slice(0, at), all.slice(at)]);
    expect(said).toEqual({ text: 'Héllo 世界', reasoning: 'Grüße? ', finished: 'length', requestId: null });
  }
});

it('asks as the reader, with his session and the second wall, and learns the name of the call', async () => {
  const { said, fetch } = await heard([bytes(stream)], { headers: { 'x-oneapi-request-id': 'call-1' } });
  expect(said.requestId).toBe('call-1');
  const [path, options] = fetch.mock.calls[0] as [string, RequestInit];
  expect(path).toBe('/pg/chat/completions');
  expect(options.headers).toEqual({ 'content-type': 'application/json', 'Veloera-User': '7' });
  expect(JSON.parse(options.body as string)).toEqual(payload);
});

it('reports an error with the message of the server', async () => {
  const refusal = heard([bytes('{"error":{"message":"No quota left","type":"x"}}')], { status: 403 });
  await expect(refusal).rejects.toEqual(new ChatFailure('No quota left', 403));
  await expect(heard([bytes('<html>')], { status: 502 })).rejects.toEqual(new ChatFailure('', 502));
});

it('tells an error inside the stream, and a stream that just ends', async () => {
  const broken = heard([bytes(`${chunk({ content: 'a' })}data: {"error":{"message":"The model left"}}\n\n`)]);
  await expect(broken).rejects.toEqual(new ChatFailure('The model left', null));
  await expect(heard([bytes(chunk({ content: 'a' }))])).rejects.toEqual(new ChatFailure('', null));
});

it('joins the lines of an event', () => {
  expect(new EventReader().read(bytes('event: x\ndata: a\ndata: b\n\ndata: c'))).toEqual(['a\nb']);
});

describe('reconnecting', () => {
  const listener: ChatListener = { started: jest.fn(), text: jest.fn(), reasoning: jest.fn(), finished: jest.fn() };
  const broken = new ChatFailure('', null);
  const streams = (...outcomes: readonly (Error | null)[]) => {
    const left = [...outcomes];
    return jest.fn(() => {
      const outcome = left.shift();
      return outcome ? Promise.reject(outcome) : Promise.resolve();
    });
  };
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each([
    ['a broken stream', true, streams(broken, null), 2, null],
    ['a lost connection', true, streams(new TypeError('network'), broken, null), 3, null],
    ['nothing while it is off', false, streams(broken, null), 1, broken],
    ['at most three times', true, streams(broken, broken, broken, broken, null), 4, broken],
  ] as const)('asks again for %s', async (_, isOn, open, times, failure) => {
    const end = reconnecting(open, () => isOn)(payload, listener, new AbortController().signal).then(
      () => null,
      (error: unknown) => error,
    );
    await jest.advanceTimersByTimeAsync(2999);
    expect(open).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(9001);
    expect(await end).toBe(failure);
    expect(open).toHaveBeenCalledTimes(times);
  });

  it('never repeats what was refused, and nothing after Stop', async () => {
    const refusal = new ChatFailure('Insufficient quota', 403);
    const open = streams(refusal, null);
    await expect(reconnecting(open, () => true)(payload, listener, new AbortController().signal)).rejects.toBe(refusal);
    const controller = new AbortController();
    const stopped = streams(broken, null);
    const end = reconnecting(stopped, () => true)(payload, listener, controller.signal).catch(
      (error: unknown) => error,
    );
    await jest.advanceTimersByTimeAsync(1000);
    controller.abort();
    expect(await end).toBe(broken);
    expect(stopped).toHaveBeenCalledTimes(1);
  });
});
