import fc from 'fast-check';
import {
  asChat,
  asGemini,
  asMessages,
  asResponses,
  talk,
  type Talk,
} from '../../../../tests/support/relay-arbitraries.js';
import { clients, type Json, providers } from '../../../../tests/support/relay-dialects.js';
import { isAppError } from '../../shared/errors.js';
import { dialects, type Dialect } from './dialect.js';
import type { Part } from './message.js';
import type { NeutralRequest } from './request.js';

/** A model of each provider that supports everything its dialect has. */
const model: Readonly<Record<Dialect, string>> = {
  'openai-chat': 'gpt-4.1',
  'anthropic-messages': 'claude-sonnet-4-5',
  'gemini-generate': 'gemini-2.5-flash',
  'openai-responses': 'gpt-4.1',
};
const written: Readonly<Record<Dialect, (given: Talk) => Json>> = {
  'openai-chat': (given) => asChat(given, model['openai-chat']),
  'anthropic-messages': (given) => asMessages(given, model['anthropic-messages']),
  'gemini-generate': asGemini,
  'openai-responses': (given) => asResponses(given, model['openai-responses']),
};

const parse = (dialect: Dialect, body: unknown, stream?: boolean): NeutralRequest =>
  clients[dialect].parse({
    body: JSON.parse(JSON.stringify(body)) as Json,
    model: 'm',
    stream: dialect === 'gemini-generate' ? stream : undefined,
  });

/** Without the input paths, which are for error messages only. */
const located = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'at' ? undefined : inner)));

describe.each(dialects)('a request in %s', (dialect) => {
  it('is the same after it was read and written again', () => {
    fc.assert(
      fc.property(talk, (given) => {
        const once = parse(dialect, written[dialect](given), given.stream);
        const { body, dropped } = providers[dialect].write({ ...once, model: model[dialect] });
        expect(dropped).toEqual([]);
        // Google's schemas have no closed objects, and its safety settings are always sent.
        const again = parse(dialect, { ...body, safetySettings: undefined }, given.stream);
        expect(located(again)).toEqual(located(once));
      }),
      { numRuns: 150 },
    );
  });
});

/** The meaning of a request, independent of the dialect. */
function meaning(request: NeutralRequest): unknown {
  const turns: { who: string; said: string; images: string[]; calls: unknown[]; results: unknown[] }[] = [];
  for (const message of request.messages) {
    const who = message.role === 'developer' ? 'system' : message.role === 'tool' ? 'user' : message.role;
    let turn = turns.at(-1);
    if (turn?.who !== who) turns.push((turn = { who, said: '', images: [], calls: [], results: [] }));
    for (const part of message.parts) report(part, turn);
  }
  return {
    turns,
    tools: request.tools.map((tool) =>
      tool.kind === 'function' ? [tool.name, tool.description, fieldsOf(tool.parameters)] : tool,
    ),
    choice: request.tools.length > 0 ? (request.toolChoice?.mode ?? 'auto') : undefined,
    format: request.responseFormat?.kind === 'schema' ? fieldsOf(request.responseFormat.schema) : undefined,
    temperature: request.sampling.temperature,
  };
}

const fieldsOf = (schema: Json | undefined): unknown => [schema?.['properties'], schema?.['required']];

function report(part: Part, turn: { said: string; images: string[]; calls: unknown[]; results: unknown[] }): void {
  if (part.kind === 'text') turn.said += part.text;
  else if (part.kind === 'image' && part.source.kind === 'base64') turn.images.push(part.source.data);
  else if (part.kind === 'toolCall') turn.calls.push([part.id, part.name, JSON.parse(part.arguments)]);
  else if (part.kind === 'toolResult') {
    turn.results.push([part.callId, part.content.map((each) => (each.kind === 'text' ? each.text : '')).join('')]);
  }
}

/** Requests that another provider cannot serve are refused by name. This test uses only requests that it can serve. */
const servable = (given: Talk): Talk => ({ ...given, effort: undefined, stop: [], limit: given.limit ?? 100 });

const pairs = dialects.flatMap((from) => dialects.filter((to) => to !== from).map((to) => [from, to] as const));

describe.each(pairs)('a client of %s at a provider of %s', (from, to) => {
  it('means the same there, and there and back', () => {
    fc.assert(
      fc.property(talk, (any) => {
        const given = servable(any);
        const asked = parse(from, written[from](given), given.stream);
        const there = parse(to, providers[to].write({ ...asked, model: model[to] }).body, given.stream);
        expect(meaning(there)).toEqual(meaning(asked));
        expect(there.maxOutput).toBe(asked.maxOutput);
        const back = parse(from, providers[from].write({ ...there, model: model[from] }).body, given.stream);
        expect(meaning(back)).toEqual(meaning(asked));
      }),
      { numRuns: 80 },
    );
  });

  it('is served or refused by name, whatever it sends', () => {
    const noise = fc.record({
      path: fc.array(fc.nat(6), { minLength: 1, maxLength: 6 }),
      value: fc.anything({ withNullPrototype: false, withBigInt: false }),
    });
    fc.assert(
      fc.property(talk, noise, (given, { path, value }) => {
        const body = disturbed(written[from](given), path, value);
        try {
          const asked = parse(from, body, given.stream);
          providers[to].write({ ...asked, model: model[to] });
        } catch (error) {
          if (!isAppError(error) || !['INVALID_INPUT', 'UNSUPPORTED_BY_CHANNEL'].includes(error.code)) throw error;
          expect(error.message).not.toBe('');
          expect(error.field).toEqual(expect.any(String));
        }
      }),
      { numRuns: 400 },
    );
  });
});

/** Returns the body with one value somewhere in it replaced. */
function disturbed(body: unknown, path: readonly number[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof body !== 'object' || body === null) return value === undefined ? null : value;
  if (Array.isArray(body)) {
    if (body.length === 0) return value;
    const at = step % body.length;
    return body.map((each: unknown, index) => (index === at ? disturbed(each, rest, value) : each));
  }
  const keys = Object.keys(body);
  const key = keys[step % Math.max(keys.length, 1)];
  if (key === undefined) return value;
  return { ...body, [key]: disturbed((body as Json)[key], rest, value) };
}
