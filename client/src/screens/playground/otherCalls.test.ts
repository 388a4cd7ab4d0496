import type { OtherCall } from './calls.js';
import { ChatFailure } from './chatStream.js';
import { openOther } from './otherCalls.js';
import type { Output } from './outputs.js';

interface Reply {
  readonly status?: number;
  readonly json?: unknown;
}

/** Serves the replies in turn, the last one for ever. */
function serve(...replies: readonly Reply[]): jest.Mock {
  const left = [...replies];
  const fetch = jest.fn(() => {
    const { status = 200, json } = (left.length > 1 ? left.shift() : left[0]) ?? {};
    return Promise.resolve({
      ok: status < 400,
      status,
      headers: { get: () => 'call-1' },
      json: () => Promise.resolve(json),
      text: () => Promise.resolve(JSON.stringify(json)),
      blob: () => Promise.resolve(new Blob(['bytes'])),
    });
  });
  globalThis.fetch = fetch as never;
  return fetch;
}

async function received(call: Partial<OtherCall> & Pick<OtherCall, 'kind'>, signal = new AbortController().signal) {
  const outputs: Output[] = [];
  const progress: number[] = [];
  const said = { text: '', requestId: '' };
  const whole: OtherCall = { model: 'm', group: 'a&b', fields: {}, text: 'hi', ...call };
  await openOther(7)(
    whole,
    {
      started: (id) => void (said.requestId = id ?? ''),
      text: (text) => void (said.text += text),
      output: (output) => void outputs.push(output),
      progress: (percent) => void progress.push(percent),
    },
    signal,
  );
  return { ...said, outputs, progress };
}

beforeEach(() => {
  URL.createObjectURL = () => 'blob:1';
});

it('asks as the user, with the group in the query', async () => {
  const fetch = serve({ json: { data: [] } });
  await received({ kind: 'IMAGE', fields: { n: 2 } });
  const [path, options] = fetch.mock.calls[0] as [string, RequestInit];
  expect(path).toBe('/pg/images/generations?group=a%26b');
  expect(options.headers).toEqual({ 'content-type': 'application/json', 'Veloera-User': '7' });
  expect(JSON.parse(options.body as string)).toEqual({ model: 'm', prompt: 'hi', n: 2 });
});

it('reads images by address and in base64', async () => {
  serve({ json: { data: [{ url: 'https://files.example/1.png' }, { b64_json: '/9j/AA' }, {}] } });
  const { outputs, requestId } = await received({ kind: 'IMAGE' });
  expect(requestId).toBe('call-1');
  expect(outputs).toEqual([
    { type: 'image', url: 'https://files.example/1.png', fileName: 'image-1.png' },
    { type: 'image', url: 'data:image/jpeg;base64,/9j/AA', fileName: 'image-2.jpeg' },
  ]);
});

it('orders the documents of a reranking by their score', async () => {
  const results = [
    { index: 0, relevance_score: 0.1 },
    { index: 1, relevance_score: 0.9 },
  ];
  serve({ json: { results } });
  const { outputs } = await received({ kind: 'RERANK', fields: { documents: ['coffee', 'tea'] } });
  expect(outputs).toEqual([
    {
      type: 'scores',
      of: 'documents',
      rows: [
        { name: 'tea', score: 0.9 },
        { name: 'coffee', score: 0.1 },
      ],
    },
  ]);
});

it('shows the flagged categories of a moderation, vectors, speech and text', async () => {
  serve({ json: { results: [{ categories: { hate: true }, category_scores: { self: 0.1, hate: 0.8 } }] } });
  expect((await received({ kind: 'MODERATION' })).outputs).toMatchObject([
    {
      of: 'categories',
      rows: [
        { name: 'hate', isFlagged: true },
        { name: 'self', isFlagged: false },
      ],
    },
  ]);
  serve({ json: { data: [{ embedding: Array(10).fill(0.5) }] } });
  expect((await received({ kind: 'EMBEDDING' })).outputs).toEqual([
    { type: 'vector', dimensions: 10, values: Array(8).fill(0.5) },
  ]);
  serve({});
  expect((await received({ kind: 'SPEECH', fields: { response_format: 'wav' } })).outputs).toEqual([
    { type: 'audio', url: 'blob:1', fileName: 'speech.wav' },
  ]);
  serve({ json: { choices: [{ text: 'Hello' }] } });
  expect((await received({ kind: 'COMPLETION' })).text).toBe('Hello');
});

it('sends a recording in a form, and says when it is gone', async () => {
  const fetch = serve({ json: { text: 'Good day' } });
  const recording = new File(['sound'], 'talk.mp3');
  expect((await received({ kind: 'TRANSCRIPTION', text: '', recording })).text).toBe('Good day');
  const form = (fetch.mock.calls[0] as [string, RequestInit])[1].body as FormData;
  expect([...form.keys()]).toEqual(['model', 'file']);
  await expect(received({ kind: 'TRANSCRIPTION' })).rejects.toEqual(new ChatFailure('', null, 'recording_gone'));
});

it('reports a refusal with the message of the server', async () => {
  serve({ status: 403, json: { error: { message: 'No quota left', code: 'insufficient_user_quota' } } });
  const refusal = new ChatFailure('No quota left', 403, 'insufficient_user_quota');
  await expect(received({ kind: 'IMAGE' })).rejects.toEqual(refusal);
});

describe('a video', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());
  const video = (status: string, progress: number, error?: object) => ({ json: { id: 'v', status, progress, error } });

  it('is asked for until it is complete', async () => {
    const fetch = serve(video('queued', 0), video('in_progress', 45), video('completed', 100), {});
    const end = received({ kind: 'VIDEO' });
    await jest.advanceTimersByTimeAsync(6000);
    const { outputs, progress } = await end;
    expect([outputs, progress]).toEqual([[{ type: 'video', url: 'blob:1', fileName: 'v.mp4' }], [0, 45]]);
    expect(fetch.mock.calls.map(([path]) => String(path).split('?')[0])).toEqual([
      '/pg/videos',
      '/pg/videos/v',
      '/pg/videos/v',
      '/pg/videos/v/content',
    ]);
  });

  it('fails with the reason of the provider, and is asked for no longer after Stop', async () => {
    serve(video('failed', 0, { message: 'Blocked' }));
    await expect(received({ kind: 'VIDEO' })).rejects.toEqual(new ChatFailure('Blocked', null, 'video_failed'));
    const fetch = serve(video('queued', 0));
    const stop = new AbortController();
    const end = expect(received({ kind: 'VIDEO' }, stop.signal)).rejects.toThrow();
    await jest.advanceTimersByTimeAsync(100);
    stop.abort();
    await end;
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});
