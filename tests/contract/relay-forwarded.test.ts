import { request as httpRequest, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { json, writeOrLeave } from '../support/upstream/replies.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** Audio, images and transcripts: the relay forwards long responses while they arrive. */
let relay: RelayHarness;

relaySuite((started) => (relay = started));
afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
});

const errorOf = async (response: Response): Promise<{ status: number; code: unknown; message: string }> => {
  const { error } = (await response.json()) as { error: { code: unknown; message: string } };
  return { status: response.status, code: error.code, message: error.message };
};

/** Writes `total` bytes in pieces, with backpressure. */
async function pour(response: ServerResponse, total: number, piece = Buffer.alloc(64 * 1024, 7)): Promise<void> {
  for (let sent = 0; sent < total && !response.destroyed; sent += piece.length) {
    await writeOrLeave(response, piece);
  }
}

async function drained(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

describe('sound and pictures', () => {
  // The size is twice the buffers of the sockets between provider and client, which Linux lets grow to 72 MB.
  const megabytes = 160;
  const speech = { model: 'tts-1', input: 'Hello', voice: 'alloy' };

  /** Lets the provider send a recording in two parts. @returns a function that sends the second part */
  function speak(begin: (response: ServerResponse) => unknown, rest: Buffer): () => void {
    let goOn: () => void = () => undefined;
    const middle = new Promise<void>((resolve) => (goOn = resolve));
    relay.upstream.script({}, async (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      await begin(response);
      await middle;
      response.end(rest);
    });
    return goOn;
  }

  it('reach the client while they come, and end when they are paid', async () => {
    await relay.addChannel({ models: 'tts-1' });
    const { key, userId } = await relay.addToken();
    const goOn = speak((response) => pour(response, 256 * 1024), Buffer.from('the end'));
    const response = await relay.post('/v1/audio/speech', key, speech);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    const reader = response.body!.getReader();
    const first = await reader.read();
    expect(first.value?.length).toBeGreaterThan(0);
    expect(await relay.logs(userId)).toEqual([]);
    goOn();
    let length = first.value?.length ?? 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) length += next.value.length;
    expect(length).toBe(256 * 1024 + 'the end'.length);
    // The call is charged before the end of the response is sent: example B13 of
    // docs/reference/relay/billing.md#worked-examples.
    expect(await relay.logs(userId)).toMatchObject([{ quota: 38, prompt_tokens: 5, is_stream: false }]);
  });

  it('is heard from the first bytes that its provider sends', async () => {
    await relay.addChannel({ models: 'tts-1' });
    const { key, userId } = await relay.addToken();
    const goOn = speak((response) => response.write(Buffer.alloc(1000, 7)), Buffer.alloc(500, 8));
    const response = await relay.post('/v1/audio/speech', key, speech);
    const reader = response.body!.getReader();
    expect((await reader.read()).value).toHaveLength(1000);
    goOn();
    expect((await reader.read()).value).toHaveLength(500);
    expect((await reader.read()).done).toBe(true);
    expect(await relay.logs(userId)).toMatchObject([{ quota: 38 }]);
  });

  it.each([
    ['/v1/audio/speech', speech, 'audio/mpeg', Buffer.alloc(64 * 1024, 7)],
    [
      '/v1/images/generations',
      { model: 'dall-e-3', prompt: 'p' },
      'application/json',
      Buffer.from(`{"b64_json":"${'A'.repeat(64 * 1024 - 20)}"},`),
    ],
  ])('of %s wait at the provider for a client that is slow', async (path, given, type, piece) => {
    await relay.addChannel({ models: given.model });
    const { key, userId } = await relay.addToken();
    let written = 0;
    relay.upstream.script({}, async (response) => {
      response.writeHead(200, { 'content-type': type });
      for (; written < megabytes * 1024 * 1024 && !response.destroyed; written += piece.length) {
        await writeOrLeave(response, piece);
      }
      response.end();
    });
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    const answer = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const outgoing = httpRequest(relay.url + path, { method: 'POST', headers }, (response) => {
        response.pause();
        resolve(response);
      });
      outgoing.on('error', reject);
      outgoing.end(JSON.stringify(given));
    });
    // Neither side makes progress, so no more is written. A full receive buffer of Linux still grows up to `tcp_rmem`, by a
    // packet with every retransmission. On a busy machine this takes a minute.
    let seen = -Infinity;
    while (written - seen > 1024 * 1024) {
      seen = written;
      await delay(300);
    }
    expect(written).toBeLessThan((megabytes / 2) * 1024 * 1024);
    // Buffers are freed concurrently, after the garbage collection has ended.
    let held = Infinity;
    for (let tries = 0; held >= 16 * 1024 * 1024 && tries < 20; tries++) {
      collectGarbage();
      held = process.memoryUsage().arrayBuffers - before;
      await delay(100);
    }
    expect(held).toBeLessThan(16 * 1024 * 1024);
    let length = 0;
    for await (const bytes of answer) length += (bytes as Buffer).length;
    expect(length).toBe(written);
    expect(await relay.logsOf(userId, 1)).toHaveLength(1);
  });

  it('that break off do not look complete, and are charged', async () => {
    await relay.addChannel({ models: 'tts-1' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, async (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      await pour(response, 256 * 1024);
      // Written bytes must be sent before the reset discards them.
      await delay(100);
      response.socket?.resetAndDestroy();
    });
    const response = await relay.post('/v1/audio/speech', key, speech);
    await expect(response.arrayBuffer()).rejects.toThrow();
    const [row] = await relay.logsOf(userId, 1);
    expect(row).toMatchObject({ quota: 38, other: { stream_error: 'read_response_body_failed' } });
  });

  it('that a client leaves stop at the provider, and are charged', async () => {
    await relay.addChannel({ models: 'tts-1' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, async (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      await pour(response, 1024 * 1024 * 1024);
    });
    const leaving = new AbortController();
    const response = await relay.post('/v1/audio/speech', key, speech, { signal: leaving.signal });
    await response.body!.getReader().read();
    leaving.abort();
    await relay.upstream.requests[0]?.ended;
    expect(relay.upstream.requests[0]?.aborted).toBe(true);
    expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ quota: 38, other: { client_gone: true } });
  });

  describe('of which the provider makes fewer than ordered', () => {
    const order = { model: 'dall-e-2', prompt: 'p', n: 3 };
    const beginning = `{"created":1,"data":[{"b64_json":"${'A'.repeat(3_000_000)}","revised_prompt":"a \\"}, {\\""}`;
    const rest = `,{"b64_json":"${'B'.repeat(100_000)}"}],"usage":{"total_tokens":5,"data":[{},{}]}}`;

    beforeEach(async () => {
      relay.setOptions({ ModelPrice: { 'dall-e-2': 0.02 } });
      await relay.addChannel({ models: 'dall-e-2' });
    });

    it('are charged by their number, which is counted on the way', async () => {
      const { key, userId } = await relay.addToken();
      relay.upstream.script({}, (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(beginning);
        response.end(rest);
      });
      const response = await relay.post('/v1/images/generations', key, order);
      expect(await response.text()).toBe(beginning + rest);
      expect(await relay.logs(userId)).toMatchObject([{ quota: 20_000, prompt_tokens: 2, other: { image_count: 2 } }]);
    });

    it.each(['the client leaves', 'the provider breaks off'])(
      'are charged as ordered when %s before all came',
      async (who) => {
        const { key, userId } = await relay.addToken();
        relay.upstream.script({}, async (response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.write(beginning);
          await delay(200);
          if (who === 'the provider breaks off') response.destroy();
        });
        const leaving = new AbortController();
        const response = await fetch(`${relay.url}/v1/images/generations`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(order),
          signal: leaving.signal,
        });
        const reader = response.body!.getReader();
        await reader.read();
        if (who === 'the client leaves') leaving.abort();
        else await expect(drained(reader)).rejects.toThrow();
        expect(await relay.logsOf(userId, 1)).toMatchObject([{ quota: 30_000, other: { image_count: 3 } }]);
      },
    );
  });

  it('that are an error in spite of their status serve nobody, and another channel does', async () => {
    relay.setOptions({ RetryTimes: 1 });
    await relay.addChannel({ models: 'dall-e-3' });
    await relay.addChannel({ models: 'dall-e-3' });
    const { key, userId } = await relay.addToken();
    const drawn = { data: [{ b64_json: 'aGk=' }] };
    relay.upstream.script({}, json({ error: { message: 'no', type: 'server_error' } }), json(drawn));
    const response = await relay.post('/v1/images/generations', key, { model: 'dall-e-3', prompt: 'p' });
    expect([response.status, await response.json()]).toEqual([200, drawn]);
    expect(relay.upstream.requests).toHaveLength(2);
    expect(await relay.logs(userId)).toHaveLength(1);
  });
});

describe('pictures, sound and transcripts as events', () => {
  const picture = (index: number): string =>
    `event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","partial_image_index":${index},"b64_json":"${'A'.repeat(300_000)}"}\n\n`;
  const last = 'event: image_generation.completed\ndata: {"type":"image_generation.completed","b64_json":"AAAA"}\n\n';
  const events =
    (...data: string[]) =>
    async (response: ServerResponse): Promise<void> => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const each of data) {
        response.write(each);
        await delay(20);
      }
      response.end();
    };
  const order = { model: 'dall-e-3', prompt: 'p', stream: true, partial_images: 2 };

  it('pass as they come, and the last one when all is paid', async () => {
    await relay.addChannel({ models: 'dall-e-3' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, events(picture(0), picture(1), last));
    const response = await relay.post('/v1/images/generations', key, order);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe(picture(0) + picture(1) + last);
    expect(relay.upstream.requests[0]?.body).toMatchObject({ stream: true, partial_images: 2 });
    expect(await relay.logs(userId)).toMatchObject([{ quota: 20_000, is_stream: true }]);
  });

  it('are charged by the number of pictures that came', async () => {
    relay.setOptions({ ModelPrice: { 'gpt-image-1': 0.02 } });
    await relay.addChannel({ models: 'gpt-image-1' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, events(picture(0), last, last));
    const response = await relay.post('/v1/images/generations', key, { ...order, model: 'gpt-image-1', n: 4 });
    expect(await response.text()).toBe(picture(0) + last + last);
    expect(await relay.logs(userId)).toMatchObject([{ quota: 20_000, other: { image_count: 2 } }]);
  });

  it('tell of an error without the provider’s addresses', async () => {
    await relay.addChannel({ models: 'dall-e-3' });
    const { key } = await relay.addToken();
    const error =
      'event: error\ndata: {"type":"error","error":{"message":"at https://inside.example/x","type":"e"}}\n\n';
    relay.upstream.script({}, events(picture(0), error));
    const text = await (await relay.post('/v1/images/generations', key, order)).text();
    expect(text.startsWith(picture(0))).toBe(true);
    expect(text.slice(picture(0).length)).toContain('"error"');
    expect(text).not.toContain('inside.example');
  });

  it('are refused by name where the provider answers in one piece', async () => {
    await relay.addChannel({ type: 17, models: 'wanx-v1' });
    relay.setOptions({ SelfUseModeEnabled: true });
    const { key } = await relay.addToken();
    const refused = await errorOf(await relay.post('/v1/images/generations', key, { ...order, model: 'wanx-v1' }));
    expect(refused).toMatchObject({ status: 400, code: 'unsupported_by_channel' });
    expect(refused.message).toMatch(/^stream is not supported/);
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it('speech is one of them', async () => {
    await relay.addChannel({ models: 'tts-1' });
    const { key, userId } = await relay.addToken();
    const delta = 'data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n';
    const done = 'data: {"type":"speech.audio.done","usage":{"input_tokens":1,"output_tokens":2}}\n\n';
    relay.upstream.script({}, events(delta, done));
    const given = { model: 'tts-1', input: 'Hello', voice: 'alloy', stream_format: 'sse' };
    expect(await (await relay.post('/v1/audio/speech', key, given)).text()).toBe(delta + done);
    expect(await relay.logs(userId)).toMatchObject([{ quota: 38 }]);
  });
});
