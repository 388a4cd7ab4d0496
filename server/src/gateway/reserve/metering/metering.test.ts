import { growth, turnsDuring } from '../../../../../tests/support/growth.js';
import { finalUsage, TextMeter, encodingOf, loadEncoding, withoutLongRuns } from './text-meter.js';
import { dataImageSize, imageTokens } from './image-tokens.js';
import { chatPrompt, countPrompt, estimatePrompt } from './prompt-tokens.js';
import { noUsage } from '../../../shared/usage.js';

const user = (content: unknown, more: object = {}): object => ({ role: 'user', content, ...more });
const prompt = (model: string, messages: object[], more: object = {}): Promise<number> =>
  countPrompt(chatPrompt({ messages, ...more }, model), model);

describe('worked examples of docs/reference/relay/token-counting.md', () => {
  it('T1 to T3: messages', async () => {
    expect(await prompt('gpt-4o', [user('hi')])).toBe(8);
    const two = [{ role: 'system', content: 'You are a helpful assistant.' }, user('What is the capital of France?')];
    expect(await prompt('gpt-4o', two)).toBe(24);
    expect(await prompt('gpt-4', two)).toBe(24);
    expect(await prompt('gpt-4o', [user('Hello, world!', { name: 'alice' })])).toBe(13);
  });

  it('T4 and T5: texts', async () => {
    const [newer, older] = await Promise.all([loadEncoding('o200k'), loadEncoding('cl100k')]);
    expect([older('hello world'), newer('hello world')]).toEqual([2, 2]);
    expect([newer('你好，世界'), older('你好，世界')]).toEqual([3, 6]);
    expect(newer('')).toBe(0);
  });

  it.each([
    [100, 100, 255],
    [512, 512, 255],
    [1024, 1024, 765],
    [768, 768, 765],
    [769, 769, 765],
    [1920, 1080, 1105],
    [2048, 4096, 1105],
    // The image is scaled into 2048 x 2048 first, as current models do.
    [4096, 512, 765],
  ])('T8: an image of %i x %i costs %i', (width, height, tokens) => {
    expect(imageTokens('gpt-4o', 'high', { width, height })).toBe(tokens);
  });

  it('T9 and the other image rules', () => {
    const square = { width: 1024, height: 1024 };
    expect(imageTokens('gpt-4o-mini', undefined, square)).toBe(25_501);
    expect(imageTokens('gpt-4o-mini', undefined, { width: 512, height: 512 })).toBe(8500);
    expect(imageTokens('gpt-4o', 'low', square)).toBe(85);
    expect(imageTokens('glm-4v', undefined, null)).toBe(1047);
    expect(imageTokens('gpt-4o', undefined, null)).toBe(255);
    expect(imageTokens('o1', undefined, square)).toBe(675);
    expect(imageTokens('gpt-5', undefined, square)).toBe(630);
    expect(imageTokens('gpt-4.1-mini', undefined, square)).toBe(Math.ceil(1024 * 1.62));
    expect(imageTokens('gpt-4.1-mini', undefined, { width: 9000, height: 9000 })).toBe(Math.ceil(1536 * 1.62));
  });
});

it.each([
  ['gpt-4o-mini', 'o200k'],
  ['chatgpt-4o-latest', 'o200k'],
  ['gpt-4.1', 'o200k'],
  ['gpt-5-nano', 'o200k'],
  ['o3-mini', 'o200k'],
  ['gpt-oss-120b', 'o200k'],
  ['gpt-4', 'cl100k'],
  ['gpt-4-turbo', 'cl100k'],
  ['claude-sonnet-4', 'cl100k'],
  ['gemini-2.5-pro', 'cl100k'],
])('%s counts by %s', (model, encoding) => {
  expect(encodingOf(model)).toBe(encoding);
});

it('counts parts, history and every tool', async () => {
  const base = await prompt('gpt-4o', [user('hi')]);
  const parts = [
    { type: 'text', text: 'hi' },
    { type: 'input_audio', input_audio: {} },
    { type: 'file', file: {} },
    { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
    { type: 'from the future' },
  ];
  expect(await prompt('gpt-4o', [user(parts)])).toBe(base + 100 + 5000 + 255);
  const tool = {
    type: 'function',
    function: { name: 'weather', description: 'the weather', parameters: { type: 'object' } },
  };
  const one = await prompt('gpt-4o', [user('hi')], { tools: [tool] });
  const two = await prompt('gpt-4o', [user('hi')], { tools: [tool, tool] });
  expect(two - one).toBe(one - base);
  expect(one - base).toBeGreaterThan(8);
  const called = { role: 'assistant', content: null, tool_calls: [{ function: { name: 'weather', arguments: '{}' } }] };
  // 3 for the message, assistant 1, weather 1, {} 1.
  expect(await prompt('gpt-4o', [user('hi'), called])).toBe(base + 6);
});

it('survives any shape of body', async () => {
  for (const body of [
    {},
    { messages: 'x' },
    { messages: [null, 5, {}] },
    { messages: [user([null, 'x', {}])], tools: [null] },
  ]) {
    expect(await countPrompt(chatPrompt(body, 'gpt-4o'), 'gpt-4o')).toBeGreaterThanOrEqual(3);
  }
});

describe('texts made to hurt', () => {
  it('special tokens are text', async () => {
    const count = await loadEncoding('o200k');
    expect(count('<|endoftext|>')).toBeGreaterThan(1);
  });

  it.each(['a', ' '])('one endless word of %j takes time in proportion to its length', async (letter) => {
    const count = await loadEncoding('o200k');
    expect(await growth((length) => count(letter.repeat(length)), 75_000, 300_000)).toBeLessThan(10);
  });

  it('is cut between characters, never in one', () => {
    const text = `${'a'.repeat(1023)}${'😀'.repeat(1000)} end`;
    const pieces = withoutLongRuns(text);
    expect(pieces.join('')).toBe(text);
    const brokenCharacter = /[\uD800-\uDBFF]$/;
    expect(pieces.filter((piece) => brokenCharacter.test(piece))).toEqual([]);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(1100);
  });

  it('any number of images', () => {
    const content = Array.from({ length: 150_000 }, () => ({ type: 'image_url', image_url: { url: 'https://a' } }));
    const one = chatPrompt({ messages: [{ role: 'user', content: content.slice(0, 1) }] }, 'gpt-4o').fixed;
    const all = chatPrompt({ messages: [{ role: 'user', content }] }, 'gpt-4o').fixed;
    expect(all - one).toBe(149_999 * imageTokens('gpt-4o', undefined, null));
  });

  it('a prompt of megabytes lets others run', async () => {
    await loadEncoding('o200k');
    const text = 'The quick brown fox. '.repeat(200_000);
    let tokens = 0;
    const turns = await turnsDuring(async () => {
      tokens = await prompt('gpt-4o', [user(text)]);
    });
    expect(tokens).toBeGreaterThan(500_000);
    // Other calls get a turn of the event loop at least every 300,000 characters.
    expect(turns).toBeGreaterThan(text.length / 300_000);
  });
});

it('reads the size of images that came along', () => {
  const png = Buffer.alloc(33);
  png.writeUInt32BE(0x89504e47, 0);
  png.writeUInt32BE(640, 16);
  png.writeUInt32BE(480, 20);
  const gif = Buffer.from('GIF89a\x80\x02\xe0\x01', 'latin1');
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 1, 0xe0, 2, 0x80, 3, 0, 0, 0]);
  const webp = Buffer.alloc(30);
  webp.write('RIFF', 0, 'latin1');
  webp.write('WEBPVP8X', 8, 'latin1');
  webp.writeUIntLE(639, 24, 3);
  webp.writeUIntLE(479, 27, 3);
  for (const image of [png, gif, jpeg, webp]) {
    expect(dataImageSize(`data:image/x;base64,${image.toString('base64')}`)).toEqual({ width: 640, height: 480 });
  }
  for (const url of ['https://x.example/a.png', 'data:', 'data:image/png;base64,AAAA', 'data:,'])
    expect(dataImageSize(url)).toBeNull();
});

it('estimates a large prompt by its text, not by its pictures', () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(1_000_000)}` } };
  const body = { messages: [user([image, { type: 'text', text: 'x'.repeat(3000) }])] };
  expect(estimatePrompt(Buffer.from(JSON.stringify(body)), body, 'gpt-4o')).toBeLessThan(2000);
  const drawn = { type: 'image_generation_call', id: 'ig_1', result: 'A'.repeat(1_000_000) };
  const next = { input: [drawn, { role: 'user', content: 'x'.repeat(3000) }] };
  expect(estimatePrompt(Buffer.from(JSON.stringify(next)), next, 'gpt-5')).toBeLessThan(2000);
  const small = Buffer.alloc(3000);
  expect(estimatePrompt(small, {}, 'gpt-4o')).toBe(1000);
});

describe('what a call produced', () => {
  it('is counted as it comes, in bounded memory, and comes to the same', async () => {
    const count = await loadEncoding('o200k');
    const meter = new TextMeter('gpt-4o', 20);
    const text = 'Some words of an answer. '.repeat(10_000);
    for (let at = 0; at < text.length; at += 10) meter.text(text.slice(at, at + 10));
    expect(JSON.stringify(meter).length).toBeLessThan(20_000);
    expect(meter.transcript).toBe(text.slice(0, 20));
    expect(await meter.tokens()).toBe(count(text));
  });

  it('is counted all the while when it comes slowly, and comes to the same', async () => {
    const count = await loadEncoding('o200k');
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    try {
      const meter = new TextMeter('gpt-4o');
      const text = 'Some words of an answer. '.repeat(400);
      for (let at = 0; at < text.length; at += 5) {
        clock.mockReturnValue(at * 100);
        meter.text(text.slice(at, at + 5));
        expect(JSON.stringify(meter).length).toBeLessThan(3_000);
      }
      expect(await meter.tokens()).toBe(count(text));
    } finally {
      clock.mockRestore();
    }
  });

  it('is nothing when it is blank', () => {
    const meter = new TextMeter('gpt-4o');
    meter.text(' \n');
    expect(meter.hasOutput).toBe(false);
    meter.toolCall();
    expect(meter.hasOutput).toBe(true);
  });
});

describe('the one rule of usage', () => {
  const reported = { ...noUsage, promptTokens: 50, completionTokens: 1 };
  const usageOf = (given: Partial<Parameters<typeof finalUsage>[0]>, said = 'hello world') => {
    const meter = new TextMeter('gpt-4o');
    return finalUsage({
      reported: null,
      complete: true,
      clientGone: false,
      meter,
      report: () => meter.text(said),
      countPrompt: () => countPrompt(chatPrompt({ messages: [user('hi')] }, 'gpt-4o'), 'gpt-4o'),
      ...given,
    });
  };

  it('is the report of a complete answer', async () => expect(await usageOf({ reported })).toBe(reported));
  it('has our count of the output where a complete answer says something and reports 0', async () => {
    const usage = await usageOf({ reported: { ...reported, completionTokens: 0, cachedTokens: 20, chargedUsd: 1 } });
    expect(usage).toEqual({ ...reported, completionTokens: 2, cachedTokens: 20, chargedUsd: 1 });
  });
  it('is the report of an answer that says nothing and reports 0', async () => {
    const honest = { ...reported, completionTokens: 0 };
    expect(await usageOf({ reported: honest }, '')).toBe(honest);
    // An image has no text to count.
    const meter = new TextMeter('gpt-4o');
    expect(await usageOf({ reported: honest, meter, report: () => meter.otherContent() })).toBe(honest);
  });
  it('is our count without one', async () => {
    expect(await usageOf({})).toMatchObject({ promptTokens: 8, completionTokens: 2 });
  });
  it('is nothing for an answer that says nothing', async () => expect(await usageOf({}, '')).toEqual(noUsage));
  it('is the larger of both when the answer was cut', async () => {
    expect(await usageOf({ reported, complete: false })).toMatchObject({ promptTokens: 50, completionTokens: 2 });
  });
  it('is the prompt when the client left before anything came', async () => {
    const usage = await usageOf({ complete: false, clientGone: true }, '');
    expect(usage).toMatchObject({ promptTokens: 8, completionTokens: 0 });
  });
  it('is nothing when the upstream broke before anything came', async () => {
    expect(await usageOf({ complete: false }, '')).toEqual(noUsage);
  });
});
