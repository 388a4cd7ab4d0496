import { availableParameters, comparable, isMaxTokens, toRequestParams, toParameters } from './parameters.js';
import { findKept, keep } from './keptConversation.js';
import { acceptsImages } from './images.js';
import { splitReasoning, type Question } from './turns.js';

const models = [
  { modelName: 'a', kind: 'CHAT', groups: ['default'] },
  { modelName: 'b', kind: 'CHAT', groups: ['default', 'vip'] },
  { modelName: 'gpt-4o-mini', kind: 'CHAT', groups: ['vip'] },
  { modelName: 'dall-e-3', kind: 'IMAGE', groups: ['default', 'vip'] },
] as const;
const offer = { groups: ['default', 'vip'], ownGroup: 'vip', models };

it('begins as the document says', () => {
  expect(toParameters({}, 'Be kind.')).toEqual({
    group: '',
    model: 'gpt-4o-mini',
    temperature: 0,
    maxTokens: '2048',
    systemPrompt: 'Be kind.',
    topP: 1,
    frequencyPenalty: 0,
    presencePenalty: 0,
    autoReconnect: false,
    compareModel: '',
    others: {
      imageSize: '1024x1024',
      imageQuality: '',
      imageCount: '1',
      voice: 'alloy',
      speechFormat: 'mp3',
      speed: '1',
      language: '',
      seconds: '4',
      videoSize: '1280x720',
      dimensions: '',
      documents: '',
    },
  });
});

it('compares only models that take the same input in the same group', () => {
  expect(comparable(models, 'default', 'a')).toEqual(['b']);
  expect(comparable(models, 'vip', 'dall-e-3')).toEqual([]);
  const compared = (model: string, compareModel: string) =>
    availableParameters(toParameters({ group: 'default', model, compareModel }, ''), offer).compareModel;
  expect([compared('a', 'b'), compared('a', 'dall-e-3'), compared('dall-e-3', 'a'), compared('b', 'b')]).toEqual([
    'b',
    '',
    '',
    '',
  ]);
});

it.each([
  ['COMPLETION', { max_tokens: 64 }],
  ['EMBEDDING', {}],
  ['MODERATION', {}],
  ['RERANK', { documents: ['tea', 'coffee'] }],
  ['IMAGE', { size: '1024x1024', n: 2 }],
  ['SPEECH', { voice: 'alloy', response_format: 'mp3', speed: 1.5 }],
  ['TRANSCRIPTION', { language: 'de' }],
  ['VIDEO', { seconds: '8', size: '1280x720' }],
] as const)('sends the fields of %s, without empty ones', (kind, fields) => {
  const others = { imageCount: '2', speed: '1.5', language: ' de ', seconds: '8', documents: 'tea\n\n coffee ' };
  const parameters = toParameters({ group: 'g', model: 'm', maxTokens: '64', others }, '');
  expect(toRequestParams(parameters, kind)).toEqual({ kind, model: 'm', group: 'g', fields });
});

it('takes of what was kept only what has the right form', () => {
  const kept = { group: 5, model: 'b', temperature: '1', maxTokens: '', systemPrompt: '' };
  expect(toParameters(kept, 'Be kind.')).toMatchObject({
    group: '',
    model: 'b',
    temperature: 0,
    maxTokens: '',
    systemPrompt: '',
  });
});

it('falls back to one’s own group and to a model that it has', () => {
  expect(availableParameters(toParameters({}, ''), offer)).toMatchObject({ group: 'vip', model: 'gpt-4o-mini' });
  expect(availableParameters(toParameters({ group: 'default' }, ''), offer)).toMatchObject({
    group: 'default',
    model: 'a',
  });
  expect(availableParameters(toParameters({ group: 'gone', model: 'b' }, ''), offer)).toMatchObject({
    group: 'vip',
    model: 'b',
  });
  const chosen = toParameters({ group: 'default', model: 'b' }, '');
  expect(availableParameters(chosen, offer)).toBe(chosen);
});

it('sends a parameter only when it differs from what is usual', () => {
  const parameters = toParameters({ group: 'g', model: 'b', maxTokens: '' }, 'Be kind.');
  expect(toRequestParams(parameters, 'CHAT')).toEqual({
    model: 'b',
    group: 'g',
    temperature: 0,
    systemPrompt: 'Be kind.',
  });
  expect(toRequestParams({ ...parameters, maxTokens: ' 12 ', topP: 0.5, presencePenalty: -1 }, 'CHAT')).toEqual({
    model: 'b',
    group: 'g',
    temperature: 0,
    systemPrompt: 'Be kind.',
    max_tokens: 12,
    top_p: 0.5,
    presence_penalty: -1,
  });
});

it.each([
  ['', true],
  ['1', true],
  [' 2048 ', true],
  ['0', false],
  ['1.5', false],
  ['many', false],
])('takes %j as max tokens: %s', (text, expected) => {
  expect(isMaxTokens(text)).toBe(expected);
});

it.each([
  ['gpt-4o', true],
  ['gpt-4o-mini', true],
  ['openai/gpt-4.1', true],
  ['claude-sonnet-4-20250514', true],
  ['gemini-2.0-flash', true],
  ['qwen2.5-vl-72b-instruct', true],
  ['glm-4.5v', true],
  ['gpt-3.5-turbo', false],
  ['gpt-4o-audio-preview', false],
  ['o3-mini', false],
  ['deepseek-chat', false],
])('knows by its name whether %s accepts images: %s', (model, expected) => {
  expect(acceptsImages(model)).toBe(expected);
});

it.each([
  ['<think>Hm.</think>\n\nYes', { reasoning: 'Hm.', text: 'Yes' }],
  ['<think>Hm', { reasoning: 'Hm', text: '' }],
  ['Write <think> like this', { reasoning: '', text: 'Write <think> like this' }],
])('takes reasoning out of %j', (text, expected) => {
  expect(splitReasoning(text)).toEqual(expected);
});

describe('what the browser keeps', () => {
  const question = (id: string, images: readonly string[] = []): Question => ({
    kind: 'question',
    id,
    text: id,
    images,
  });

  it('is for one user', () => {
    keep(1, { otherTurns: [], turns: [question('a')], parameters: { model: 'b' } });
    expect(findKept(1)).toEqual({ otherTurns: [], turns: [question('a')], parameters: { model: 'b' } });
    expect(findKept(2)).toEqual({ otherTurns: [], turns: [], parameters: {} });
  });

  it('lets old images go before the browser refuses everything', () => {
    const large = 'x'.repeat(1_200_000);
    keep(1, { otherTurns: [], turns: [question('a', [large]), question('b', [large])], parameters: {} });
    expect(findKept(1).turns).toMatchObject([
      { id: 'a', images: [] },
      { id: 'b', images: [large] },
    ]);
  });

  it('has no answer under way, and nothing that is no turn', () => {
    const answer = { kind: 'answer', id: 'c', model: 'm', text: 'Hel', reasoning: '', state: 'incomplete' };
    localStorage.setItem('playground', JSON.stringify({ userId: 1, turns: [answer, 5, { kind: 'question' }] }));
    expect(findKept(1)).toEqual({
      otherTurns: [],
      turns: [{ ...answer, state: 'complete', cut: 'stopped' }],
      parameters: {},
    });
  });
});
