import fc from 'fast-check';
import { types } from 'node:util';
import { parseAhead, parseJsonBody, rememberTurns } from '../../dialects/wire/forms/json-body.js';
import type { TurnMemory } from '../../dialects/wire/forms/known-turns.js';
import { always, ofEachPart } from '../../shared/turns.js';
import { Conversations } from './conversations.js';

const long = 'x'.repeat(9000);
const turn = (index: number): object => ({ role: 'user', content: [{ type: 'text', text: `${index} é ${long}` }] });
const turns = Array.from({ length: 12 }, (_, index) => turn(index));
const textOf = (count: number, tail: object = { stream: true }): string =>
  JSON.stringify({ model: 'm', messages: turns.slice(0, count), ...tail });

/** Parses a text as a body of a key, or returns the message of the refusal. */
function read(text: string, memory?: TurnMemory): unknown {
  const bytes = Buffer.from(text);
  if (memory) rememberTurns(bytes, memory);
  try {
    return parseJsonBody(bytes);
  } catch (error) {
    return (error as Error).message;
  }
}

type Read = { readonly messages: readonly unknown[] };

describe('a body that continues an earlier one', () => {
  it('shares the turns that both have', () => {
    const memory = new Conversations().of(1);
    const first = read(textOf(9), memory) as Read;
    const second = read(textOf(12, { max_tokens: 3 }), memory) as Read;
    expect(second).toEqual(JSON.parse(textOf(12, { max_tokens: 3 })));
    // The last turn has no comma after it, so it is parsed again.
    expect(second.messages.slice(0, 8).every((each, index) => each === first.messages[index])).toBe(true);
    const third = read(textOf(12), memory) as Read;
    expect(third.messages.slice(0, 11).every((each, index) => each === second.messages[index])).toBe(true);
  });

  it('shares the turns of its own conversation, also where an older one begins alike and is shorter', () => {
    const memory = new Conversations().of(1);
    const long = Array.from({ length: 26 }, (_, index) => turn(index));
    const of = (messages: readonly object[]): Read => read(JSON.stringify({ model: 'm', messages }), memory) as Read;
    of(long.slice(0, 24));
    of([...long.slice(0, 8), turn(-1)]);
    const second = of(long.slice(0, 25));
    const third = of(long);
    expect(third.messages).toEqual(long);
    expect(third.messages.slice(0, 24).every((each, index) => each === second.messages[index])).toBe(true);
  });

  it('shares each large field behind the turns whose bytes stay the same', () => {
    const memory = new Conversations().of(1);
    const of = (count: number, name: string): { tools: unknown; schema: unknown } => {
      // The fields around them change with each call, as in Claude Code and in Codex.
      const system = [{ type: 'text', text: `${count} ${long}` }];
      const tail = { system, tools: [{ name, description: long }], schema: { long }, metadata: { turn: `${count}` } };
      const body = read(textOf(count, tail), memory) as { tools: unknown; schema: unknown };
      expect(body).toEqual(JSON.parse(textOf(count, tail)));
      expect(Object.keys(body)).toEqual(['model', 'messages', 'system', 'tools', 'schema', 'metadata']);
      return body;
    };
    const first = of(8, 'a');
    const second = of(9, 'a');
    expect([second.tools, second.schema]).toEqual([first.tools, first.schema]);
    expect(second.tools).toBe(first.tools);
    expect(second.schema).toBe(first.schema);
    const third = of(10, 'b');
    expect(third.tools).not.toBe(first.tools);
    expect(third.schema).toBe(first.schema);
    expect(of(11, 'b').tools).toBe(third.tools);
  });

  it.each([
    [63, true],
    [64, false],
  ])('shares turns behind %i other lists: %s', (count, isShared) => {
    const memory = new Conversations().of(1);
    const lists = Object.fromEntries(Array.from({ length: count }, (_, index) => [`list${index}`, []]));
    const [first, second] = [8, 9].map((length) => {
      const json = JSON.stringify({ ...lists, messages: turns.slice(0, length) });
      const body = read(json, memory) as Read;
      expect(body).toEqual(JSON.parse(json));
      return body;
    });
    expect(first?.messages[0] === second?.messages[0]).toBe(isShared);
  });

  it.each([
    ['of a continued conversation', 12],
    ['of one whose last turns changed', 10],
    ['of one that took another way before', 4],
  ])('shares turns with the body that has most of them: those %s', (_case, count) => {
    const memory = new Conversations().of(1);
    const fork = (from: number, name: string): string =>
      JSON.stringify({
        messages: [...turns.slice(0, from), ...turns.slice(from).map((each) => ({ ...each, name })), turn(99)],
      });
    const original = read(fork(12, ''), memory) as Read;
    read(fork(2, 'a'), memory);
    read(fork(1, 'b'), memory);
    const text = fork(count, 'c');
    const body = read(text, memory) as Read;
    expect(body).toEqual(JSON.parse(text));
    const same = body.messages.filter((each, index) => each === original.messages[index]);
    expect(same).toHaveLength(count);
  });

  it('shares nothing with another key', () => {
    const conversations = new Conversations();
    const first = read(textOf(9), conversations.of(1)) as Read;
    const second = read(textOf(9), conversations.of(2)) as Read;
    expect(second).toEqual(first);
    expect(second.messages[0]).not.toBe(first.messages[0]);
  });

  it('is parsed in the same way ahead of time', async () => {
    const memory = new Conversations().of(1);
    const many = Array.from({ length: 80 }, (_, index) => turn(index));
    const of = (count: number): Buffer => {
      const bytes = Buffer.from(JSON.stringify({ model: 'm', messages: many.slice(0, count) }));
      rememberTurns(bytes, memory);
      return bytes;
    };
    const [first, second] = [of(79), of(80)];
    await parseAhead(first);
    await parseAhead(second);
    expect((parseJsonBody(second) as unknown as Read).messages[70]).toBe(
      (parseJsonBody(first) as unknown as Read).messages[70],
    );
    expect(parseJsonBody(second)).toEqual(JSON.parse(second.toString()));
  });

  const declared = {
    tools: [{ name: 'a', input_schema: { type: 'object', enum: Array.from({ length: 500 }, () => 1) } }],
  };
  const tools = JSON.stringify(declared).slice(1, -1);
  const known = textOf(9).slice(0, textOf(9).indexOf(',{"role":"user","content":[{"type":"text","text":"8 '));
  it.each([
    ['a repeated field', `${known},${JSON.stringify(turn(8))}],"stream":true,"model":"other"}`],
    ['a repeated list', `${known},${JSON.stringify(turn(8))}],"messages":[]}`],
    ['a repeated field of a turn', `${known},{"role":"user","role":"assistant"}]}`],
    ['another case', `${known},${JSON.stringify(turn(8))}],"Max_Tokens":1}`],
    ['a comma without a turn', `${known},]}`],
    ['two commas', `${known},,${JSON.stringify(turn(8))}]}`],
    ['text behind the end', `${known},${JSON.stringify(turn(8))}]}}`],
    ['too many values', `${known},[${'0,'.repeat(400_000)}0]]}`],
    ['deep nesting', `${known},${'['.repeat(130)}${']'.repeat(130)}]}`],
    [
      'an exact number',
      `${known},{"role":"user","content":[{"type":"tool_use","input":{"id":12345678901234567890}}]}]}`,
    ],
    ['an own prototype', `${known},{"__proto__":{"a":1}}],"__proto__":{"b":2},"7":1}`],
    ['no further turn', `${known}]}`],
    ['half a character', `${known},"\\ud83d"]}`],
    ['a repeated field of a turn, before the same end', `${known},{"role":"user","role":"assistant"}],"stream":true}`],
    ['a comma without a turn, before the same end', `${known},],"stream":true}`],
    ['a field before the same end', `${known},${JSON.stringify(turn(8))}],"a":[1],"stream":true}`],
    ['the field of the same end before it', `${known},${JSON.stringify(turn(8))}],"stream":[1],"stream":true}`],
    ['a repeated list before the same end', `${known},${JSON.stringify(turn(8))}],"messages":[1],"stream":true}`],
    ['a list in place of the end', `${known},[1],"stream":true}`],
    ['the same end alone', `${known},"stream":true}`],
    ['too many values before the same end', `${known},[${'0,'.repeat(400_000)}0]],"stream":true}`],
    ['the same tools twice', `${known},1],${tools},${tools}}`],
    ['text behind the same tools', `${known},1],${tools}1}`],
    ['the same tools in another case', `${known},1],${tools.replace('tools', 'Tools')}}`],
    ['the same tools without an end', `${known},1],${tools}`],
    ['the same tools before the end of the turns', `${known},${tools}]}`],
    ['the same tools in another field', `${known},1],${tools.replace('tools', 'system')},${tools}}`],
    ['the same tools with too many values', `${known},[${'0,'.repeat(399_990)}0]],${tools}}`],
  ])('is read like a new one: %s', (_name, text) => {
    const memory = new Conversations().of(1);
    read(textOf(9, declared), memory);
    const [continued, whole] = [read(text, memory), read(text)];
    expect(continued).toEqual(whole);
    if (typeof whole === 'object' && whole !== null)
      expect(Object.keys(continued as object)).toEqual(Object.keys(whole));
    // Such a body changes nothing for the next one.
    expect(read(textOf(9, declared), memory)).toEqual(JSON.parse(textOf(9, declared)));
  });

  it('is read like a new one, wherever bytes differ', () => {
    const sign = fc.constantFrom('"', '\\', ',', '{', '}', '[', ']', ':', ' ', '1', 'é', '\u0000', '"messages":[', 'x');
    const base = textOf(9, { system: [long], ...declared, stream: true });
    const place = fc.oneof(
      fc.nat(base.length),
      fc.nat(tools.length).map((fromEnd) => base.length - fromEnd),
    );
    fc.assert(
      fc.property(place, fc.nat(3), fc.array(sign, { maxLength: 3 }), (at, removed, signs) => {
        const memory = new Conversations().of(1);
        read(base, memory);
        const text = base.slice(0, at) + signs.join('') + base.slice(at + removed);
        expect(read(text, memory)).toEqual(read(text));
      }),
      { numRuns: 200 },
    );
  });

  it('is not kept beyond the maximum of bytes', () => {
    const memory = new Conversations(200_000).of(1);
    const other = (name: string): string => textOf(9).replace('0 é', name);
    const first = read(other('a'), memory) as Read;
    for (const name of ['b', 'c', 'd']) read(other(name), memory);
    expect((read(other('a'), memory) as Read).messages[0]).not.toBe(first.messages[0]);
  });

  it.each([
    ['turns', (last: number) => `{"model":"m","messages":[${'{},'.repeat(150_000)}${last}]}`],
    ['tools', (last: number) => `{"model":"m","messages":[{},${last}],"tools":[${'[],'.repeat(150_000)}0]}`],
  ])('is not kept when it has so many %s that they take much more memory than its bytes', (_name, bodyOf) => {
    const memory = new Conversations().of(1);
    const first = read(bodyOf(1), memory) as Read;
    expect(first.messages[0]).toEqual({});
    expect((read(bodyOf(2), memory) as Read).messages[0]).not.toBe(first.messages[0]);
  });
});

describe('a body that continues one without a place', () => {
  const many = Array.from({ length: 40 }, (_, index) => ({ role: 'user', content: `${index} é ${'x'.repeat(2500)}` }));
  const bodyOf = (name: string, count: number): string =>
    JSON.stringify({ model: name, messages: many.slice(0, count), stream: true });
  /** A memory with place for one body. */
  const narrow = (): Conversations => new Conversations(500_000);
  const isLate = (body: unknown): boolean => types.isProxy((body as Read).messages);
  /** Takes the place of all bodies. */
  const crowd = (conversations: Conversations): unknown => read(bodyOf('crowd', 40), conversations.of(9));

  it('has the same turns, which are parsed when they are read', () => {
    for (const count of [37, 38, 40]) {
      const conversations = narrow();
      read(bodyOf('a', 36), conversations.of(1));
      crowd(conversations);
      const body = read(bodyOf('a', count), conversations.of(1)) as Read;
      expect(isLate(body)).toBe(true);
      const alone = JSON.parse(bodyOf('a', count)) as Read;
      expect(body.messages.length).toBe(count);
      expect(body.messages.at(-1)).toEqual(alone.messages.at(-1));
      expect(body.messages[17]).toEqual(alone.messages[17]);
      expect([...body.messages]).toEqual(alone.messages);
      expect(body).toEqual(alone);
      expect(JSON.stringify(body)).toBe(bodyOf('a', count));
    }
  });

  it('shares the large fields behind the turns with the other conversations of its key that have no place', () => {
    const conversations = narrow();
    const of = (name: string, count: number, tool: string, key = 1): unknown => {
      const tools = [{ name: tool, description: 'x'.repeat(2000) }];
      const json = JSON.stringify({ ...(JSON.parse(bodyOf(name, count)) as object), tools });
      const body = read(json, conversations.of(key)) as { tools: unknown };
      expect(body.tools).toEqual(tools);
      return body.tools;
    };
    for (const name of ['a', 'b', 'c']) of(name, 36, name === 'c' ? 'other' : 'same');
    of('a', 36, 'same', 2);
    crowd(conversations);
    const first = of('a', 37, 'same');
    expect(of('b', 37, 'same')).toBe(first);
    const other = of('c', 37, 'other');
    expect(other).not.toBe(first);
    expect(of('a', 38, 'same')).toBe(first);
    expect(of('b', 38, 'other')).toBe(other);
    expect(of('a', 37, 'same', 2)).not.toBe(first);
  });

  it('shares no more large fields than a few programs have', () => {
    // With place for two bodies.
    const conversations = new Conversations(700_000);
    const of = (count: number, tool: number): unknown => {
      const tools = [{ name: `${tool}`, description: 'x'.repeat(1000) }];
      const json = JSON.stringify({ ...(JSON.parse(bodyOf('a', count)) as object), tools });
      return (read(json, conversations.of(1)) as { tools: unknown }).tools;
    };
    of(36, 0);
    crowd(conversations);
    read(bodyOf('other', 40), conversations.of(9));
    const first = of(37, 0);
    for (let tool = 1; tool < 16; tool++) of(37, tool);
    expect(of(37, 0)).toBe(first);
    of(37, 16);
    expect(of(37, 0)).not.toBe(first);
  });

  it('has the facts of these turns, and computes nothing of them again', () => {
    const computed: number[] = [];
    const lengths = ofEachPart((turns, from) => (computed.push(from), turns.length), always);
    const conversations = narrow();
    lengths((read(bodyOf('a', 36), conversations.of(1)) as Read).messages);
    for (const count of [36, 37, 40]) {
      crowd(conversations);
      computed.length = 0;
      const body = read(bodyOf('a', count), conversations.of(1)) as Read;
      expect(lengths(body.messages).reduce((sum, length) => sum + length)).toBe(count);
      expect(Math.min(...computed)).toBe(32);
    }
  });

  it('is known where a mark moves to the last block', () => {
    const conversations = narrow();
    const marked = (count: number): string => {
      const { messages, ...body } = JSON.parse(bodyOf('a', count)) as { messages: object[] };
      return JSON.stringify({ ...body, messages: [...messages.slice(0, -1), { ...messages.at(-1), mark: true }] });
    };
    read(marked(36), conversations.of(1));
    crowd(conversations);
    const body = read(marked(38), conversations.of(1));
    expect(isLate(body)).toBe(true);
    expect(body).toEqual(JSON.parse(marked(38)));
  });

  it.each([
    ['another key', (conversations: Conversations) => read(bodyOf('a', 37), conversations.of(2))],
    ['another field before the turns', (conversations: Conversations) => read(bodyOf('b', 37), conversations.of(1))],
    ['fewer turns', (conversations: Conversations) => read(bodyOf('a', 32), conversations.of(1))],
  ])('is not known of %s', (_name, next) => {
    const conversations = narrow();
    read(bodyOf('a', 36), conversations.of(1));
    crowd(conversations);
    expect(isLate(next(conversations))).toBe(false);
  });

  it('is parsed whole when its turns are needed, or when there is place', () => {
    const parsed = ofEachPart((turns) => turns);
    const conversations = narrow();
    parsed((read(bodyOf('a', 36), conversations.of(1)) as Read).messages);
    crowd(conversations);
    expect(isLate(read(bodyOf('a', 37), conversations.of(1)))).toBe(false);
    const wide = new Conversations();
    read(bodyOf('a', 36), wide.of(1));
    expect(isLate(read(bodyOf('a', 37), wide.of(1)))).toBe(false);
  });

  it('is kept whole again when its turns were read', () => {
    const conversations = narrow();
    read(bodyOf('a', 36), conversations.of(1));
    crowd(conversations);
    const late = read(bodyOf('a', 37), conversations.of(1)) as Read;
    expect(late.messages[0]).toBeDefined();
    expect(isLate(read(bodyOf('a', 38), conversations.of(1)))).toBe(true);
    expect(late.messages[17]).toBeDefined();
    const whole = read(bodyOf('a', 39), conversations.of(1)) as Read;
    expect(isLate(whole)).toBe(false);
    const next = read(bodyOf('a', 40), conversations.of(1)) as Read;
    expect(next.messages[17]).toBe(whole.messages[17]);
  });

  it('is known when several calls of a new key begin at once', () => {
    const conversations = new Conversations();
    const memories = [conversations.of(1), conversations.of(1)];
    const [a, b] = ['a', 'b'].map((name, index) => read(bodyOf(name, 36), memories[index]) as Read);
    for (const [name, before] of [['a', a] as const, ['b', b] as const]) {
      const next = read(bodyOf(name, 37), conversations.of(1)) as Read;
      expect(next.messages[17]).toBe(before?.messages[17]);
    }
  });

  it('is parsed whole when its turns have many values, which would take long to parse at once', () => {
    const dense = (count: number): string =>
      JSON.stringify({ messages: Array.from({ length: count }, (_, at) => ({ at, values: Array(1000).fill(at) })) });
    const conversations = new Conversations(17_000_000);
    read(dense(40), conversations.of(1));
    for (const name of ['b', 'c', 'd', 'e']) read(dense(40).replace('"at":0', `"${name}":0`), conversations.of(2));
    expect(isLate(read(dense(41), conversations.of(1)))).toBe(false);
  });

  it('is read like a new one, wherever bytes differ', () => {
    const sign = fc.constantFrom('"', '\\', ',', '{', '}', '[', ']', ':', ' ', '1', 'é', '\u0000', '"messages":[', 'x');
    const tools = `"tools":[{"name":"a","description":"${'x'.repeat(1000)}","enum":[1,{"b":[]}]}]`;
    const of = (count: number): string => bodyOf('a', count).replace(',"stream"', `,${tools},"stream"`);
    const base = of(38);
    const place = fc.oneof(
      fc.nat(base.length),
      fc.nat(tools.length + 20).map((fromEnd) => base.length - fromEnd),
    );
    fc.assert(
      fc.property(place, fc.nat(3), fc.array(sign, { maxLength: 3 }), (at, removed, signs) => {
        const conversations = narrow();
        read(of(36), conversations.of(1));
        crowd(conversations);
        const text = base.slice(0, at) + signs.join('') + base.slice(at + removed);
        expect(read(text, conversations.of(1))).toEqual(read(text));
      }),
      { numRuns: 100 },
    );
  });

  it('is known among as many conversations as take half of the memory', () => {
    const conversations = narrow();
    const names = Array.from({ length: 100 }, (_, index) => `conversation ${index}`);
    for (const name of names) read(bodyOf(name, 36), conversations.of(1));
    const known = names.toReversed().filter((name) => isLate(read(bodyOf(name, 37), conversations.of(1))));
    // 4 KB each of 250 KB.
    expect(known.length).toBeGreaterThan(55);
    expect(known.length).toBeLessThan(65);
  });
});
