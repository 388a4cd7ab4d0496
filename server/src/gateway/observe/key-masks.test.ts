import { maskSecrets } from '../../dialects/errors/mask-secrets.js';
import { maskCredentials } from '../../platform/observability/redact.js';
import { SearchTime } from '../../platform/matching/search.js';
import { keyPatterns } from '../../shared/key-patterns.js';
import { maskParts } from '../../shared/personal-data.js';
import { growth } from '../../../../tests/support/growth.js';
import { localCheck } from '../admit/guardrails/local-checks.js';
import { chatContent } from './chat-content.js';

const secret = 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9v';

/** Keys of providers, joined here so that no search for leaked keys finds them in this file. */
const keys = [
  ...['sk-', 'sk-ant-api03-', 'sk-proj-', 'rk-', 'gsk_', 'xai-', 'csk-', 'nvapi-', 'pplx-', 'tvly-'],
  ...['hf_', 'r8_', 'fw_', 'jina_', 'ghp_', 'gho_', 'github_pat_', 'AIza', 'ya29.', 'bce-v3/', 'xoxb-'],
].map((prefix) => prefix + secret);
const others = [
  `AKIA${secret.toUpperCase().slice(0, 16)}`,
  `eyJ${secret}.eyJ${secret}.${secret}`,
  `-----BEGIN PRIVATE KEY-----\n${secret}\n${secret}\n-----END PRIVATE KEY-----`,
];

async function guarded(text: string): Promise<string> {
  const check = localCheck({ check: 'patterns', patterns: ['key'] } as Parameters<typeof localCheck>[0]);
  const search = { texts: [text], userId: 1, isFirstEnough: false, time: new SearchTime() };
  return maskParts(text, (await check!(search)).parts.get(0) ?? []);
}

const masks: ReadonlyArray<readonly [what: string, mask: (text: string) => string | Promise<string>]> = [
  ['an error', maskSecrets],
  ['a log line', (text) => maskCredentials(JSON.stringify({ text }))],
  ['a logged message', (text) => JSON.stringify(chatContent({ messages: [{ role: 'user', content: text }] }, text))],
  ['a guardrail', guarded],
];

describe.each(masks)('%s', (_what, mask) => {
  it.each([...keys, ...others])('hides %j', async (key) => {
    const masked = await mask(`my key is ${key}, so`);
    for (const part of key.match(/[A-Za-z0-9]{16,}/g) ?? []) expect(masked).not.toContain(part.slice(-16));
    expect(masked).toMatch(/my key is .*, so/);
  });

  it('hides a key at the beginning of a line', async () => {
    const [key = ''] = keys;
    for (const gap of ['\n', '\r\n', '\t']) expect(await mask(`keys:${gap}${key}`)).not.toContain(secret);
  });

  it('keeps names that only begin like keys', async () => {
    const text = 'sk-1, task-0123456789abcdefghij, ghp_short, disk-usage-of-a-long-name';
    expect(await mask(text)).toContain(text);
  });
});

it.each(['-----BEGIN PRIVATE KEY-----', 'sk-', 'hf_', 'eyJaaaaaaaaaaaa.', 'AKIA', 'xoxb-', 'bce-v3/'])(
  'takes time in proportion to a text of %j',
  async (piece) => {
    const mask = (times: number): void => {
      for (const pattern of keyPatterns) piece.repeat(times).replace(pattern, '');
    };
    expect(await growth(mask, 2_000, 16_000)).toBeLessThan(24);
  },
);
