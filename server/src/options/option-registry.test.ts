import { AppError } from '../shared/errors.js';
import {
  defaultOptionValues,
  definitionOf,
  isOptionKey,
  optionKeys,
  optionText,
  parseOption,
  type OptionKey,
} from './option-registry.js';

const refusal = (key: OptionKey, text: string): string => {
  try {
    parseOption(key, text);
  } catch (error) {
    if (error instanceof AppError) return `${error.code} ${error.field}`;
    throw error;
  }
  return 'accepted';
};

describe('every option', () => {
  it.each(optionKeys)('%s reads back the text of its built-in value', (key) => {
    const value = defaultOptionValues()[key];
    expect(parseOption(key, optionText(key, value))).toEqual(value);
  });

  it.each(optionKeys)('%s refuses text that would not fit anywhere', (key) => {
    const endless = 'x'.repeat(1_000_001);
    expect(refusal(key, endless)).toBe(`INVALID_INPUT ${key}`);
  });
});

it.each<[OptionKey, string, unknown]>([
  ['RegisterEnabled', ' true ', true],
  ['SMTPPort', '465', 465],
  ['Price', '7.25', 7.25],
  ['Price', '1e2', 100],
  ['ModelRequestRateLimitCount', '-1', 0],
  ['ServerAddress', 'https://gate.example.com/', 'https://gate.example.com'],
  ['ServerAddress', '', ''],
  ['ServerAddress', 'gate.example.com/', 'https://gate.example.com'],
  ['Logo', '/logo.png', '/logo.png'],
  ['EmailDomainWhitelist', ' a.example , b.example ,', ['a.example', 'b.example']],
  ['AutomaticDisableKeywords', 'one\n\n two \r\n', ['one', 'two']],
  ['SensitiveWords', 'plain\nregex:^a+$', ['plain', 'regex:^a+$']],
  ['ModelRatio', '{"gpt-4o": 1.25}', { 'gpt-4o': 1.25 }],
  ['GroupRatio', '{"free": 0}', { free: 0 }],
  ['Chats', '[{"One":"https://one.example"}]', [{ One: 'https://one.example' }]],
  ['claude.default_max_tokens', '{"claude-3": 4096}', { default: 8192, 'claude-3': 4096 }],
  ['claude.model_headers_settings', '{"m":{"h":["v"]}}', { m: { h: ['v'] } }],
  ['gemini.supported_imagine_models', '["a"]', ['a']],
  ['DataExportDefaultTime', 'week', 'week'],
  ['Notice', ' <b>kept as typed</b> ', ' <b>kept as typed</b> '],
])('%s takes %j', (key, text, value) => {
  expect(parseOption(key, text)).toEqual(value);
});

it.each<[OptionKey, string, string]>([
  ['Price', '-1', 'Price: must be above 0'],
  ['Price', '0', 'Price: must be above 0'],
  ['Price', '1e20', 'Price: must be at most 1000000000'],
  ['RebatePercentage', '-1', 'RebatePercentage: must be at least 0'],
  ['QuotaForNewUser', '1e16', 'QuotaForNewUser: must be at most 9000000000000000'],
  ['QuotaForNewUser', '1.5', 'QuotaForNewUser: must be a whole number'],
])('%s says of %j: %s', (key, text, message) => {
  expect(() => parseOption(key, text)).toThrow(message);
});

it.each<[OptionKey, string]>([
  ['RegisterEnabled', 'yes'],
  ['RegisterEnabled', ''],
  ['SMTPPort', '0'],
  ['SMTPPort', '65536'],
  ['SMTPPort', '25.5'],
  ['SMTPPort', 'NaN'],
  ['Price', '0'],
  ['Price', '-1'],
  ['Price', 'Infinity'],
  ['Price', '0x10'],
  ['QuotaForNewUser', '-1'],
  ['QuotaForNewUser', '9000000000000001'],
  ['QuotaPerUnit', '0'],
  ['RebatePercentage', '100.1'],
  ['claude.thinking_adapter_budget_tokens_percentage', '0.05'],
  ['ServerAddress', 'gate'],
  ['ServerAddress', 'javascript:alert(1)'],
  ['TopUpLink', 'ftp://x.example'],
  ['EmailDomainWhitelist', 'localhost'],
  ['EmailDomainWhitelist', 'a.example,a.example'],
  ['EmailDomainWhitelist', '*.example.com'],
  ['SensitiveWords', 'regex:('],
  ['ModelRatio', '{"gpt-4o": -1}'],
  ['ModelRatio', '{"gpt-4o": "1"}'],
  ['ModelRatio', '{"gpt-4o": 1e10}'],
  ['ModelRatio', '[]'],
  ['ModelRatio', '{'],
  ['ModelRatio', ''],
  ['GroupRatio', '{"": 1}'],
  ['UserUsableGroups', '{"vip": 1}'],
  ['Chats', '{"One":"x"}'],
  ['claude.default_max_tokens', '{"m": 0.5}'],
  ['gemini.supported_imagine_models', '[1]'],
  ['DataExportDefaultTime', 'year'],
])('%s refuses %j and says which option it was', (key, text) => {
  expect(refusal(key, text)).toBe(`INVALID_INPUT ${key}`);
});

it('never repeats the refused value', () => {
  expect(() => parseOption('ServerAddress', 'secret-in-a-wrong-field')).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('secret') as string }),
  );
});

it('knows its keys and no other property', () => {
  expect(isOptionKey('SystemName')).toBe(true);
  for (const key of ['systemname', 'constructor', '__proto__', 'toString', '']) expect(isOptionKey(key)).toBe(false);
});

it('finds nothing in a table that nobody put there', () => {
  for (const table of [defaultOptionValues().ModelRatio, parseOption('ModelRatio', '{}')]) {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) expect(table[name]).toBeUndefined();
  }
});

it('leaves what would let an admin become root to root', () => {
  const rootKeys = optionKeys.filter((key) => definitionOf(key).writer === 'root');
  for (const part of [
    'OAuth',
    'oidc.',
    'SMTP',
    'Epay',
    'Turnstile',
    'WeChat',
    'Telegram',
    'Worker',
    'Email',
    'Password',
  ]) {
    const keys = optionKeys.filter((key) => key.includes(part));
    expect(keys.length).toBeGreaterThan(0);
    expect(rootKeys).toEqual(expect.arrayContaining(keys));
  }
  expect(rootKeys).toEqual(expect.arrayContaining(['ServerAddress', 'TopUpLink', 'RegisterEnabled', 'PayAddress']));
  for (const key of ['ModelRatio', 'RetryTimes', 'Notice', 'ModelRequestRateLimitEnabled'] as const) {
    expect(rootKeys).not.toContain(key);
  }
});

it('counts every key that holds a credential as a secret', () => {
  const secrets = optionKeys.filter((key) => definitionOf(key).secret);
  // The address of a Bark device is its credential.
  const named = optionKeys.filter((key) => /(token|secret|secretkey|validkey|epaykey|bark_url)$/i.test(key));
  expect(secrets).toEqual(named);
});
