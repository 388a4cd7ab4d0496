import { isLimit, isTimeout } from './channelLimits.js';
import {
  modelsAfterType,
  newChannel,
  regionProblem,
  toInput,
  toPatch,
  toValues,
  variantDefault,
  type ChannelProvider,
} from './channelForm.js';
import type { ChannelDetailFragment } from './channels.generated.js';
import { isSetting, isStatusTable, isTextTable } from './channelTexts.js';

const lists: Partial<Record<ChannelProvider, readonly string[]>> = {
  OPENAI: ['gpt-4o'],
  MIDJOURNEY: ['mj_imagine', 'mj_upscale'],
  MIDJOURNEY_PLUS: ['mj_imagine', 'swap_face'],
  SUNO: ['suno_music', 'suno_lyrics'],
};
const after = (chosen: readonly string[], from: ChannelProvider, to: ChannelProvider) =>
  modelsAfterType(chosen, from, to, (type) => lists[type] ?? []);

it.each(['MIDJOURNEY', 'MIDJOURNEY_PLUS', 'SUNO'] as const)(
  'begins a channel of type %s with all models of its kind',
  (type) => {
    expect(after([], 'OPENAI', type)).toEqual(lists[type]);
  },
);

it('changes what it filled in by itself along with the type, and takes it away with it', () => {
  expect(after(['mj_upscale', 'mj_imagine'], 'MIDJOURNEY', 'SUNO')).toEqual(['suno_music', 'suno_lyrics']);
  expect(after(['suno_music', 'suno_lyrics'], 'SUNO', 'OPENAI')).toEqual([]);
});

it('leaves chosen models alone', () => {
  expect(after(['gpt-4o'], 'OPENAI', 'SUNO')).toBeNull();
  expect(after(['suno_music'], 'SUNO', 'OPENAI')).toBeNull();
  expect(after([], 'OPENAI', 'ANTHROPIC')).toBeNull();
});

it('sends a version for the type that needs one, although nobody typed it', () => {
  expect(toInput({ ...newChannel, type: 'XUNFEI', variant: ' ' }).variant).toBe('v2.1');
  expect(toInput({ ...newChannel, type: 'XUNFEI', variant: 'v3.5' }).variant).toBe('v3.5');
  expect(toInput({ ...newChannel, type: 'AZURE' }).variant).toBeNull();
  expect(variantDefault('AZURE')).toBe('');
});

it.each([
  ['us-central1', null],
  ['', null],
  ['{"default": "us-central1"}', null],
  ['{\n  "default": us\n}', 2],
])('takes a region as plain text or as JSON: %j', (text, line) => {
  expect(regionProblem(text)).toBe(line);
});

describe('a stored channel', () => {
  const channel: ChannelDetailFragment = {
    id: 5,
    name: 'main',
    type: { id: 3, provider: 'AZURE', label: 'Azure OpenAI' },
    status: 'ENABLED',
    statusReason: null,
    weight: 1,
    priority: 2,
    createdAt: null,
    lastTest: null,
    balance: null,
    models: ['a'],
    groups: ['vip'],
    usedQuota: 0,
    tag: 't',
    testModel: null,
    openaiOrganization: null,
    baseUrl: 'https://a.example',
    variant: '2024-12-01',
    autoDisable: true,
    modelPrefix: null,
    modelMapping: [{ from: 'a', to: 'b' }],
    statusCodeMapping: [{ from: 400, to: 500 }],
    setting: {
      proxy: 'http://p:1',
      forceFormat: true,
      thinkingToContent: false,
      nonStreamOnly: true,
      more: { house: 1 },
    },
    parameters: { temperature: 0.2 },
    cost: { factor: 0.85, cards: { 'gpt-*': { prices: { input: 2 } } } },
    limits: {
      channel: null,
      key: { requestsPerMinute: 60, tokensPerMinute: null, concurrentCalls: null, dailyUsd: null, monthlyUsd: null },
    },
    timeouts: { firstByteSeconds: null, idleSeconds: 30, totalSeconds: null },
    keys: [],
    headers: { 'X-Title': 'Tollgate', operations: [{ mode: 'delete', path: 'User-Agent' }] },
    maxInputTokens: 9,
    ownerId: 5,
  };

  it('is sent as it was read', () => {
    const { keys, ...input } = toInput(toValues(channel));
    expect(keys).toEqual([]);
    expect(input).toEqual({
      type: 'AZURE',
      name: 'main',
      openaiOrganization: null,
      baseUrl: 'https://a.example',
      variant: '2024-12-01',
      models: ['a'],
      groups: ['vip'],
      testModel: null,
      modelPrefix: null,
      maxInputTokens: 9,
      ownerId: 5,
      priority: 2,
      weight: 1,
      tag: 't',
      autoDisable: true,
      modelMapping: channel.modelMapping,
      setting: channel.setting,
      statusCodeMapping: channel.statusCodeMapping,
      parameters: { temperature: 0.2 },
      headers: channel.headers,
      cost: channel.cost,
      limits: { key: { requestsPerMinute: 60 } },
      timeouts: { idleSeconds: 30 },
    });
  });

  it('has a field for each limit and timeout, and none of them when all are empty', () => {
    const values = toValues(channel);
    expect(values.limits.key).toEqual({
      requestsPerMinute: '60',
      tokensPerMinute: '',
      concurrentCalls: '',
      dailyUsd: '',
      monthlyUsd: '',
    });
    expect(values.timeouts).toEqual({ firstByte: '', idle: '30', total: '' });
    const whole = { ...values.limits.channel, dailyUsd: ' 2.5 ', concurrentCalls: '4' };
    const given = { ...values, limits: { ...values.limits, channel: whole } };
    expect(toInput(given).limits).toEqual({
      channel: { concurrentCalls: 4, dailyUsd: 2.5 },
      key: { requestsPerMinute: 60 },
    });
    const none = toValues({ ...channel, limits: null, timeouts: null });
    expect([toInput(none).limits, toInput(none).timeouts]).toEqual([null, null]);
  });

  it.each([
    ['requestsPerMinute', ['', '1', '1000000000000'], ['0', '1.5', '-1', 'many', '1000000000001']],
    ['dailyUsd', ['', '0.01', '20', '2.5'], ['0', '-1', '1e3', '0.0000001']],
  ] as const)('takes %s only as the server does', (name, good, bad) => {
    expect(good.filter((text) => !isLimit(name, text))).toEqual([]);
    expect(bad.filter((text) => isLimit(name, text))).toEqual([]);
  });

  it('takes timeouts only as the server does', () => {
    expect(['', '0.5', '60', '86400'].filter((text) => !isTimeout(text))).toEqual([]);
    expect(['0', '-1', '86401', 'soon', '1e3'].filter((text) => isTimeout(text))).toEqual([]);
  });

  it('costs the list price when neither a factor nor cards are set', () => {
    const values = toValues({ ...channel, cost: { factor: 1, cards: {} } });
    expect([values.costFactor, values.costCards, toInput(values).cost]).toEqual(['', '', null]);
    expect(toInput({ ...values, costFactor: '0' }).cost).toEqual({ factor: 0, cards: null });
  });

  it('has its tables in the names of the REST API', () => {
    expect(JSON.parse(toValues(channel).setting)).toEqual({
      proxy: 'http://p:1',
      force_format: true,
      stream_support: 'NON_STREAM_ONLY',
      house: 1,
    });
    expect(toValues(channel).statusCodeMapping).toBe('{\n  "400": "500"\n}');
  });

  it('is changed in what was touched, and cleared where a field was emptied', () => {
    const values = { ...toValues(channel), tag: ' ', setting: '', keys: 'k1\nk2', name: 'other' };
    expect(toPatch(values, { tag: true, setting: true, keys: true })).toEqual({
      tag: null,
      setting: null,
      keys: ['k1', 'k2'],
    });
    expect(toPatch({ ...values, keys: ' ' }, { keys: true })).toEqual({});
  });

  it.each(['costFactor', 'costCards'] as const)('sends the cost when %s is changed', (field) => {
    const values = { ...toValues(channel), costFactor: '0.5', costCards: '' };
    expect(toPatch(values, { [field]: true })).toEqual({ cost: { factor: 0.5, cards: null } });
  });
});

it('takes only settings that it can send: others would be lost', () => {
  const settings = [
    {},
    { proxy: 'http://proxy:1', force_format: true, thinking_to_content: false, stream_support: 'FULL', other: [1] },
    { proxy: null, force_format: null },
    { proxy: ['http://proxy:1'] },
    { force_format: 'true' },
    { thinking_to_content: 1 },
    { stream_support: true },
    [],
    null,
  ];
  expect(settings.map(isSetting)).toEqual([true, true, true, false, false, false, false, false, false]);
});

it('tells tables of texts and of status codes from other JSON', () => {
  expect([{ a: 'b' }, {}, { a: 1 }, ['a'], 'a', null].map(isTextTable)).toEqual([
    ...[true, true, false, false, false, false],
  ]);
  expect([{ 400: '500', 401: 503 }, {}, { x: '500' }, { 400: 5 }, [400]].map(isStatusTable)).toEqual([
    ...[true, true, false, false, false],
  ]);
});
