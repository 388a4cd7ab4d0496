import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ChatRequest, StreamTransform } from '../contract.js';
import { messagesDialect, openAIChat, type ChatDialect } from '../../gateway/deliver/chat-dialects.js';
import { chatCapability } from '../../gateway/send/attempt-chat.js';
import { TextMeter, loadEncoding } from '../../gateway/reserve/metering/text-meter.js';
import type { AnswerContext } from '../neutral/codec.js';
import { adapters, targetFor } from '../../../../tests/support/relay-dialects.js';
import { sampled } from '../../../../tests/support/suite.js';

/* The memory of one open stream, including its meter, must not grow with its content. */

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Objects freed by finalizers of the first collection are reclaimed by the second. */
const alive = async (): Promise<number> => {
  collect();
  await delay(50);
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const words = ['tollkeeper', ' of the northern', ' gate', ' considered', ' unquestionably', ' every', ' traveller'];
const word = (at: number): string => words[at % words.length] ?? '';
const chunk = (at: number): string =>
  `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763600000,"model":"m","choices":[{"index":0,"delta":{"content":"${word(at)}"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"${'x'.repeat(100)}"}\n\n`;
const delta = (at: number): string =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${word(at)}"}}\n\n`;

const context: AnswerContext = { id: 'r', created: 1, model: 'm', promptTokens: 1, includeUsage: true, body: {} };
const request: ChatRequest = {
  path: '/v1/chat/completions',
  body: {},
  rawBody: Buffer.alloc(0),
  stream: true,
  wantsUsage: true,
};
const target = targetFor({ upstreamModel: 'm', requestedModel: 'm' });

function open(type: number, dialect: ChatDialect): StreamTransform {
  const chat = chatCapability(adapters[type], dialect, () => context, { body: {}, target });
  if (!chat) throw new Error('it does not chat');
  return chat.openStream(request, target, new TextMeter('m'));
}

const streams = 100;

const pairs = [
  ['an OpenAI client at OpenAI', 1, openAIChat, chunk],
  ['an Anthropic client at Anthropic', 14, messagesDialect, delta],
  ['an OpenAI client at Anthropic', 14, openAIChat, delta],
  ['an Anthropic client at OpenAI', 1, messagesDialect, chunk],
] as const;

describe.each([
  ['that comes as fast as it can', 0, 24 * 1024],
  ['of two events a second', 500, 14 * 1024],
])('an open stream %s', (_pace, gapMilliseconds, maxBytes) => {
  let now = 0;
  // A jest spy would remember each call and so use memory itself.
  const realNow = performance.now.bind(performance);
  beforeAll(async () => {
    // Otherwise it would be loaded during the measurement.
    if (gapMilliseconds > 0) await loadEncoding('o200k');
    performance.now = () => now;
  });
  afterAll(() => {
    performance.now = realNow;
  });

  it.each(sampled(pairs, 2))(
    `of %s holds ${maxBytes} bytes at most, however long it is`,
    async (_name, type, dialect, event) => {
      const say = (all: readonly StreamTransform[], from: number, count: number): void => {
        for (let at = from; at < from + count; at++) {
          now += gapMilliseconds;
          for (const each of all) each.push(Buffer.from(event(at)));
        }
      };
      // Compiles the code before the measurement.
      say([open(type, dialect)], 0, 500);
      const before = await alive();
      const all = Array.from({ length: streams }, () => open(type, dialect));
      for (let part = 0; part < 4; part++) {
        say(all, part * 150, 150);
        expect(((await alive()) - before) / streams).toBeLessThan(maxBytes);
      }
      expect(all.some(({ failure }) => failure !== null)).toBe(false);
    },
  );
});
