import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatRequest } from '../contract.js';
import type { Target } from '../target.js';
import type { Usage } from '../../shared/usage.js';
import { TextMeter } from '../../gateway/reserve/metering/text-meter.js';
import { AnswerCollector } from '../neutral/collect.js';
import type { NeutralAnswer } from '../neutral/answer.js';
import { readChatAnswer } from '../languages/openai/chat-read.js';
import { ChatStreamReader } from '../languages/openai/chat-stream-reader.js';
import { EventParser } from '../wire/sse/event-parser.js';
import { adapters, targetFor } from '../../../../tests/support/relay-dialects.js';

/* Real responses of the family's providers, through their adapters and read as clients read them. */

const folder = join(import.meta.dirname, '../../../../tests/recorded');
const recorded = (name: string): string => readFileSync(join(folder, name), 'utf8');

const target = (type: number): Target =>
  targetFor({
    type,
    upstreamModel: 'm',
    requestedModel: 'm',
    now: 0,
  });

const request: ChatRequest = {
  path: '/v1/chat/completions',
  body: { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] },
  rawBody: Buffer.from('{}'),
  stream: true,
  wantsUsage: true,
};

function whole(type: number, name: string): NeutralAnswer {
  const answer = adapters[type]?.chat?.fromUpstreamResponse(Buffer.from(recorded(name)), target(type));
  return readChatAnswer(JSON.parse(String(answer?.body)));
}

function streamed(type: number, name: string): NeutralAnswer {
  const lines = recorded(name).split('\n').filter(Boolean);
  const bytes = Buffer.from([...lines, '[DONE]'].map((line) => `data: ${line}\n\n`).join(''));
  const transform = adapters[type]?.chat?.openStream(request, target(type), new TextMeter('m', 0));
  const usage = (): Usage => transform?.usage() as Usage;
  const out = [transform?.push(bytes), transform?.end(), transform?.closing(usage())].map((each) => String(each ?? ''));
  const reader = new ChatStreamReader();
  const collector = new AnswerCollector();
  for (const event of new EventParser().push(Buffer.from(out.join(''))))
    reader.push(event).forEach((each) => collector.push(each));
  expect(transform?.complete).toBe(true);
  return collector.answer();
}

const said = (answer: NeutralAnswer) => {
  const parts = answer.choices[0]?.parts ?? [];
  const textOf = (kind: string): string =>
    parts.map((part) => (part.kind === kind && 'text' in part ? part.text : '')).join('');
  return {
    text: textOf('text'),
    thought: textOf('reasoning').slice(0, 18),
    tools: parts.flatMap((part) =>
      part.kind === 'toolCall' ? [`${part.name}${part.arguments.replaceAll(' ', '')}`] : [],
    ),
    finish: answer.choices[0]?.finish,
    prompt: answer.usage?.promptTokens,
    completion: answer.usage?.completionTokens,
    cached: answer.usage?.cachedTokens,
    reasoning: answer.usage?.reasoningTokens,
  };
};

type Expected = Partial<ReturnType<typeof said>>;
const calls: Expected = { text: '', tools: ['weather{"location":"SanFrancisco"}'], finish: 'toolCalls' };

const streams: ReadonlyArray<readonly [string, number, Expected]> = [
  [
    'mistral/mistral-reasoning',
    42,
    { text: '2 + 2 = 4', thought: 'The user is asking', finish: 'stop', prompt: 10, completion: 46 },
  ],
  [
    'mistral/mistral-text',
    42,
    { text: 'Hello, world! This is a test response.', thought: '', prompt: 13, completion: 8 },
  ],
  [
    'deepseek/deepseek-reasoning',
    43,
    {
      text: 'The word "strawberry" contains three "r"s.',
      thought: 'We need to count t',
      completion: 219,
      reasoning: 205,
    },
  ],
  ['deepseek/deepseek-tool-call', 43, { ...calls, prompt: 339, completion: 83, cached: 320, reasoning: 39 }],
  // 560 in total, of which 307 are the prompt: reasoning is part of the completion.
  ['xai/xai-tool-call', 48, { ...calls, prompt: 307, completion: 253, cached: 306, reasoning: 227 }],
  ['moonshot/moonshotai-stream', 25, { text: 'Hello!', thought: 'Thinking aloud. ', completion: 12, reasoning: 7 }],
  ['groq/groq-tool-call', 8, { tools: ['weather{}'], finish: 'toolCalls', prompt: 210, completion: 15 }],
];

it.each(streams)('the stream %s of channel type %i', (name, type, expected) => {
  expect(said(streamed(type, `${name}.chunks.txt`))).toMatchObject(expected);
});

const answers: ReadonlyArray<readonly [string, number, Expected]> = [
  [
    'mistral/mistral-reasoning',
    42,
    { text: '2 + 2 = 4', thought: 'The user is asking', finish: 'stop', completion: 46 },
  ],
  ['mistral/mistral-text', 42, { thought: '', finish: 'stop', prompt: 13, completion: 434 }],
  [
    'deepseek/deepseek-reasoning',
    43,
    { thought: 'We are asked: "How', finish: 'stop', completion: 345, reasoning: 315 },
  ],
  ['deepseek/deepseek-tool-call', 43, { ...calls, prompt: 339, completion: 92, cached: 320, reasoning: 48 }],
  ['xai/xai-tool-call', 48, { ...calls, prompt: 307, completion: 281, cached: 244, reasoning: 255 }],
  ['moonshot/moonshotai-text', 25, { text: 'Hello, world!', finish: 'stop', prompt: 9, completion: 5 }],
  ['groq/groq-tool-call', 8, { tools: ['weather{}'], finish: 'toolCalls', prompt: 218, completion: 15 }],
];

it.each(answers)('the answer %s of channel type %i', (name, type, expected) => {
  expect(said(whole(type, `${name}.json`))).toMatchObject(expected);
});
