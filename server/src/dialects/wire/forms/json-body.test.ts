import fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectGarbage } from '../../../../../tests/support/collect-garbage.js';
import { slicesDuring } from '../../../../../tests/support/growth.js';
import { writeJson } from '../../../shared/exact-json.js';
import { freeTurns, parseAhead, parseJsonBody } from './json-body.js';

const refusal = (text: string): string | null => {
  try {
    parseJsonBody(Buffer.from(text));
    return null;
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_INPUT', wireCode: 'invalid_request' });
    return (error as Error).message;
  }
};

describe('a body that two parsers can read differently is refused', () => {
  it.each([
    ['a repeated field', '{"model":"gpt-4o-mini","model":"o1-pro"}', 'is repeated'],
    [
      'a repeated field of a nested object',
      '{"generationConfig":{"maxOutputTokens":1,"maxOutputTokens":9}}',
      'is repeated',
    ],
    ['a repeated field of a message', '{"messages":[{"role":"user","content":"a","content":"b"}]}', 'is repeated'],
    [
      'a repeated field of a part',
      '{"messages":[{"role":"user","content":[{"type":"text","text":"a","text":"b"}]}]}',
      'is repeated',
    ],
    ['a repeated name written with an escape', '{"model":"a","mod\\u0065l":"b"}', 'is repeated'],
    ['another case', '{"model":"gpt-4o-mini","Model":"o1-pro"}', 'model is spelled in another case'],
    ['another case of a number', '{"model":"dall-e-3","N":10}', 'n is spelled'],
    ['another case inside', '{"generationConfig":{"maxoutputtokens":9}}', 'maxOutputTokens is spelled'],
    ['both spellings', '{"generationConfig":{"maxOutputTokens":1,"max_output_tokens":9}}', 'is repeated'],
    ['both spellings of an object', '{"generationConfig":{},"generation_config":{}}', 'is repeated'],
  ])('%s', (_name, text, message) => {
    expect(refusal(text)).toContain(message);
  });

  it.each([
    '{"model":"a","metadata":{"Model":"x","model":"y"},"tools":[{"model":1},{"model":2}]}',
    '{"model":"a","text":"\\"model\\":1,\\"model\\":2","{":":"}',
    '{"__proto__":{"a":1},"constructor":1,"model":"m"}',
  ])('what is named once is read: %s', (text) => {
    expect(parseJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
  });
});

it.each([
  ['nested', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['many values', `{"a":[${'[],'.repeat(500_000)}0]}`],
  ['many members', `{${Array.from({ length: 500_000 }, (_, index) => `"k${index}":0`).join(',')}}`],
])('refuses what grows when it is parsed: %s', (_name, text) => {
  expect(refusal(text)).toMatch(/nested more than|has more than/);
});

describe('large bodies are parsed ahead, to the same result', () => {
  const ahead = async (text: string): Promise<unknown> => {
    const bytes = Buffer.from(text);
    await parseAhead(bytes);
    return parseJsonBody(bytes);
  };
  const base64 = 'QUJD'.repeat(700_000);

  it.each([
    ['one long string', { model: 'm', image: base64 }],
    ['several, in lists and objects', { model: 'm', messages: [{ content: [base64, { url: base64 }] }, base64] }],
    ['escapes and signs of several bytes at every cut', { text: '\\"\n\u0001\u00e9\u{1f600}\u20ac'.repeat(600_000) }],
    ['slashes alone', { text: '\\'.repeat(3_000_001) }],
    ['no long string', { list: Array.from({ length: 90_000 }, (_, index) => `text ${index}`) }],
    ['a prototype', JSON.parse(`{"__proto__":"${base64}","model":"m"}`) as Record<string, unknown>],
  ])('%s', async (_name, value) => {
    const text = JSON.stringify(value);
    expect(Buffer.byteLength(text)).toBeGreaterThan(512 * 1024);
    const parsed = await ahead(text);
    expect(JSON.stringify(parsed)).toBe(text);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });

  it('any cut of any text', async () => {
    const unit = fc.constantFrom('\\', '"', '\n', '\u{1f600}', '\u20ac', 'u0041', '\ud83d', 'a');
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { minLength: 1, maxLength: 40 }), fc.nat(7), async (signs, shift) => {
        const body = { pad: 'x'.repeat(shift), text: signs.join('').repeat(5_000_000 / signs.join('').length) };
        const text = JSON.stringify(body);
        expect(await ahead(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 6 },
    );
  });

  it.each([
    ['an unknown escape', `{"a":"${'x'.repeat(600_000)}\\q${'x'.repeat(600_000)}"}`],
    ['a control character', `{"a":"${'x'.repeat(600_000)}\n${'x'.repeat(600_000)}"}`],
    ['an open string', `{"a":"${'x'.repeat(1_200_000)}`],
    ['text behind the end', `{"a":"${'x'.repeat(1_200_000)}"}}`],
    ['blanks without end', `{"a":1${' '.repeat(17 * 1024 * 1024)}}`],
  ])('refuses what is no JSON: %s', async (_name, text) => {
    await expect(ahead(text)).rejects.toMatchObject({ code: 'INVALID_INPUT', wireCode: 'invalid_request' });
  });

  it('gives the event loop a turn after every few megabytes', async () => {
    const bytes = Buffer.from(JSON.stringify({ model: 'm', images: Array.from({ length: 8 }, () => base64) }));
    expect(await slicesDuring(() => parseAhead(bytes))).toBeGreaterThan(8);
  });
});

describe('the turns of a parsed body are freed', () => {
  const turn = { role: 'user', content: 'hello '.repeat(20_000) };
  const called = { role: 'assistant', arguments: { id: 12345678901234567890n } };
  it.each(['messages', 'input', 'contents'])('and parsed once more where they are read: %s', async (name) => {
    const text = writeJson({ model: 'm', [name]: [turn, called], stream: true });
    const bytes = Buffer.from(text);
    const body = parseJsonBody(bytes);
    const turns = new WeakRef(body[name] as object);
    expect(freeTurns(bytes)).toBe(true);
    expect(Object.getOwnPropertyDescriptor(body, name)?.value).toBeUndefined();
    await nextTurn();
    collectGarbage();
    expect(turns.deref()).toBeUndefined();
    expect(writeJson(body) === text).toBe(true);
    expect(body[name]).toEqual([turn, called]);
    expect(body[name]).toBe(body[name]);
    expect(writeJson(parseJsonBody(bytes)) === text).toBe(true);
  });

  it('and read from their conversation while it has them', async () => {
    const bytes = Buffer.from(writeJson({ model: 'm', messages: [turn, called] }));
    const body = parseJsonBody(bytes);
    const turns = body['messages'];
    expect(freeTurns(bytes)).toBe(true);
    await nextTurn();
    collectGarbage();
    expect(body['messages']).toBe(turns);
  });

  it.each([
    ['a small body', { model: 'm', messages: [called.role] }],
    ['a body without turns', { model: 'm', input: turn.content }],
    ['a body that takes long to parse', { model: 'm', messages: [turn.content.repeat(40)] }],
  ])('but not those of %s', (_what, fields) => {
    const bytes = Buffer.from(JSON.stringify(fields));
    parseJsonBody(bytes);
    expect(freeTurns(bytes)).toBe(false);
  });
});
