import { isDeepStrictEqual } from 'node:util';
import {
  clients,
  collect,
  contextFor,
  Heard,
  play,
  playThrough,
  recordedAnswer,
  recordedLines,
  recordedNames,
  sse,
  providers,
} from '../../../../tests/support/relay-dialects.js';
import { nativeMessageStream } from '../languages/anthropic/messages-native.js';
import { nativeGeminiStream } from '../languages/gemini/gemini-native.js';
import { asJsonList } from '../languages/gemini/json-list.js';
import { nativeResponseStream } from '../languages/responses/responses-native.js';
import { responsesProvider } from '../languages/responses/responses-write.js';
import type { NeutralAnswer } from './answer.js';
import { dialects, type Dialect } from './dialect.js';
import { TranslatedStream } from './translated-stream.js';

/** The dialect of each fixture folder. */
const folders: ReadonlyArray<readonly [string, Dialect]> = [
  ['anthropic', 'anthropic-messages'],
  ['google', 'gemini-generate'],
  ['openai', 'openai-chat'],
  ['deepseek', 'openai-chat'],
  ['groq', 'openai-chat'],
  ['mistral', 'openai-chat'],
  ['moonshot', 'openai-chat'],
  ['xai', 'openai-chat'],
  ['openai-responses', 'openai-responses'],
];

/** Other endpoints and errors have tests of their own. */
const otherwise = /completion-text|embedding|image|transcription|openai-error/;
const recordings = (ending: string): [string, Dialect][] =>
  folders.flatMap(([folder, dialect]) =>
    recordedNames(folder, ending).flatMap((name): [string, Dialect][] =>
      otherwise.test(name) ? [] : [[name, dialect]],
    ),
  );

/**
 * Tools that take plain text exist only in OpenAI's dialects, so clients of other dialects cannot have requested one.
 */
const audience = (name: string): readonly Dialect[] =>
  name.includes('custom-tool') ? dialects.filter((dialect) => dialect.startsWith('openai')) : dialects;

function streamOf(name: string, dialect: Dialect): string {
  const lines = recordedLines(name);
  return sse(
    dialect === 'openai-chat' ? [...lines, '[DONE]'] : lines,
    dialect === 'anthropic-messages' || dialect === 'openai-responses',
  );
}

/** If a provider gives no id, each read generates one. */
const madeUp = /^call_[A-Za-z0-9]{24}$/;

/** The content that no translation may change. */
function said(answer: NeutralAnswer): unknown {
  const parts = answer.choices.flatMap((choice) => choice.parts);
  const proof = (part: object): string[] =>
    'signature' in part && typeof part.signature === 'string' ? [part.signature.replace(/^rs_[\w-]+:/, '')] : [];
  return {
    text: parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''),
    reasoning: parts.map((part) => (part.kind === 'reasoning' ? part.text : '')).join(''),
    calls: parts.flatMap((part) =>
      part.kind === 'toolCall'
        ? { id: part.id.replace(madeUp, 'made up'), name: part.name, arguments: JSON.parse(asJson(part)) as unknown }
        : [],
    ),
    proofs: parts.flatMap(proof),
    finish: answer.choices.map((choice) => choice.finish),
    usage: answer.usage && [answer.usage.promptTokens, answer.usage.completionTokens, answer.usage.cachedTokens],
  };
}

const asJson = ({ custom, arguments: text }: { custom?: boolean; arguments: string }): string =>
  custom ? JSON.stringify(text) : text || '{}';

describe.each(recordings('.chunks.txt'))('the recorded stream %s', (name, dialect) => {
  const provider = providers[dialect];
  const stream = streamOf(name, dialect);
  const recorded = collect(provider, stream);
  const expected = said(recorded.answer());

  it('says something, ends and reports what it cost', () => {
    const answer = recorded.answer();
    expect(recorded.error).toBeNull();
    expect(answer.choices).toHaveLength(1);
    expect(answer.choices[0]?.parts.length).toBeGreaterThan(0);
    expect(answer.choices[0]?.finish).not.toBeNull();
    expect(answer.usage?.promptTokens).toBeGreaterThan(0);
    expect(answer.usage?.completionTokens).toBeGreaterThan(0);
    expect(answer.model).not.toBe('');
  });

  it.each(audience(name))('says the same to a client of %s, as a stream', (clientDialect) => {
    const { out, transform } = playThrough(provider, clients[clientDialect], stream);
    expect(transform.complete).toBe(true);
    expect(said(collect(providers[clientDialect], out).answer())).toEqual(expected);
  });

  it.each(audience(name))('says the same to a client of %s, as a whole', (clientDialect) => {
    const whole = clients[clientDialect].toAnswer(recorded.answer(), contextFor());
    expect(said(providers[clientDialect].read(JSON.parse(JSON.stringify(whole))))).toEqual(expected);
  });

  it('is the same wherever the network cuts the bytes', () => {
    const client = clients[dialect === 'openai-chat' ? 'anthropic-messages' : 'openai-chat'];
    const run = (cuts: readonly number[]): string =>
      play(
        new TranslatedStream(provider.openReader(), client.openWriter(contextFor()), new Heard()),
        excerpt,
        cuts,
      ).replace(/call_\w{24}/g, 'call_x');
    const excerpt = shortened(stream);
    const uncut = run([]);
    const { length } = Buffer.from(excerpt);
    // `expect` for each position would take longer than the streams.
    const differs = Array.from({ length: length - 1 }, (_, index) => index + 1).filter((at) => run([at]) !== uncut);
    expect(differs).toEqual([]);
  });

  it('is told to the transcript, whether it is translated or passed through', () => {
    const translated = new Heard();
    playThrough(provider, clients['openai-chat'], stream, contextFor(), translated);
    expect(translated.said).toContain(textOf(recorded.answer()).slice(0, 40));
    expect(translated.calls).toBe(callsOf(recorded.answer()));
  });
});

/** Shortens the middle of a real stream, which is long and uniform. */
function shortened(stream: string): string {
  const events = stream.split('\n\n');
  return events.length <= 16 ? stream : [...events.slice(0, 6), ...events.slice(-7)].join('\n\n');
}

const textOf = (answer: NeutralAnswer): string =>
  answer.choices
    .flatMap((choice) => choice.parts)
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('');
const callsOf = (answer: NeutralAnswer): number =>
  answer.choices.flatMap((choice) => choice.parts).filter((part) => part.kind === 'toolCall').length;

describe.each(recordings('.json'))('the recorded answer %s', (name, dialect) => {
  const answer = providers[dialect].read(recordedAnswer(name));

  it('says something, ends and reports what it cost', () => {
    expect(answer.choices[0]?.parts.length).toBeGreaterThan(0);
    expect(answer.choices[0]?.finish).not.toBeNull();
    expect(answer.usage?.completionTokens).toBeGreaterThan(0);
  });

  it.each(audience(name))('says the same to a client of %s', (clientDialect) => {
    const whole = clients[clientDialect].toAnswer(answer, contextFor());
    expect(said(providers[clientDialect].read(JSON.parse(JSON.stringify(whole))))).toEqual(said(answer));
  });
});

describe.each([
  ['anthropic', 'anthropic-messages', nativeMessageStream],
  ['google', 'gemini-generate', nativeGeminiStream],
  ['openai-responses', 'openai-responses', nativeResponseStream],
] as const)('a client of the same dialect as %s', (folder, dialect, open) => {
  const names = recordedNames(folder, '.chunks.txt').filter((name) => !otherwise.test(name));

  it.each(names)('gets the bytes of %s as they came, wherever they were cut', (name) => {
    const stream = streamOf(name, dialect);
    const { usage } = collect(providers[dialect], stream).answer();
    const { length } = Buffer.from(stream);
    for (let at = 1; at < length; at++) {
      const transform = open(new Heard());
      if (play(transform, stream, [at]) !== stream) throw new Error(`differs when cut at ${at}`);
      if (!isDeepStrictEqual(transform.usage(), usage)) throw new Error(`other usage when cut at ${at}`);
      if (!transform.complete) throw new Error(`incomplete when cut at ${at}`);
    }
  });

  it.each(names)('may have %s counted', (name) => {
    const heard = new Heard();
    const transform = open(heard);
    play(transform, streamOf(name, dialect));
    transform.report();
    const answer = collect(providers[dialect], streamOf(name, dialect)).answer();
    expect(heard.said).toContain(textOf(answer));
    expect(heard.calls).toBe(callsOf(answer));
  });
});

describe('a Gemini client that did not ask for events', () => {
  it.each(recordedNames('google', '.chunks.txt'))('gets %s as one JSON list', (name) => {
    const out = play(asJsonList(nativeGeminiStream(new Heard())), streamOf(name, 'gemini-generate'));
    expect(JSON.parse(out)).toEqual(recordedLines(name).map((line) => JSON.parse(line) as unknown));
  });
});

describe('the recorded error', () => {
  const stream = sse(recordedLines('openai-responses/openai-error.1.chunks.txt'), true);

  it('ends the stream of a client of another dialect', () => {
    const transform = new TranslatedStream(
      responsesProvider.openReader(),
      clients['anthropic-messages'].openWriter(contextFor()),
      new Heard(),
    );
    transform.push(Buffer.from(stream));
    expect(transform.failure?.detail).toMatchObject({ code: 'insufficient_quota', type: 'insufficient_quota' });
  });

  it('ends the stream of a client of the same dialect', () => {
    const transform = nativeResponseStream(new Heard());
    const out = String(transform.push(Buffer.from(stream)));
    expect(out).not.toContain('insufficient_quota');
    expect(transform.failure?.detail.code).toBe('insufficient_quota');
  });

  it('is thrown by a whole answer', () => {
    expect(() => responsesProvider.read(recordedAnswer('openai-responses/openai-error.1.json'))).toThrow(
      'exceeded your current quota',
    );
  });
});
