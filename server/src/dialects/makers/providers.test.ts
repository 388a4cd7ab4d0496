import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { targetFor } from '../../../../tests/support/relay-dialects.js';
import type { Adapter, ChatRequest, UpstreamRequest } from '../contract.js';
import type { ProviderRow } from '../providers/provider.js';
import type { Target } from '../target.js';
import { splitKeys } from '../providers/channel-keys.js';
import { rows as jimeng } from './jimeng/rows.js';
import { rows as kling } from './kling/rows.js';
import { rows as midjourney } from './midjourney/rows.js';
import { findProvider, providerOf, providers } from './providers.js';
import { rows as suno } from './suno/rows.js';
import { rows as vidu } from './vidu/rows.js';

const offered = providers.filter((provider) => provider.offered);
/** Platforms that run tasks and serve no calls. */
const taskIds = [midjourney, suno, kling, jimeng, vidu].flatMap((rows) => rows.map(({ id }) => id));

describe('the provider table', () => {
  it('has every number once, in order', () => {
    const ids = providers.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(ids.every((id) => Number.isInteger(id) && id > 0)).toBe(true);
  });

  it('has the rows of every folder', async () => {
    const files = readdirSync(import.meta.dirname)
      .map((folder) => join(import.meta.dirname, folder, 'rows.ts'))
      .filter((file) => existsSync(file));
    const ids: number[] = [];
    for (const file of files) {
      const { rows } = (await import(file)) as { rows: readonly ProviderRow[] };
      ids.push(...rows.map(({ id }) => id));
    }
    expect(files.length).toBeGreaterThan(40);
    expect(ids.toSorted((one, other) => one - other)).toEqual(providers.map(({ id }) => id));
  });

  it('offers the types that consoles of this family know, and those from 1000 up that are its own', () => {
    expect(offered.map(({ id }) => id)).toEqual([
      1, 2, 3, 4, 5, 8, 11, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 31, 33, 34, 35, 36, 37, 38, 39, 40,
      41, 42, 43, 44, 45, 46, 47, 48, 50, 51, 52, 53, 58, 60, 62, 63,
    ]);
  });

  it('labels every offered provider differently', () => {
    expect(new Set(offered.map(({ label }) => label)).size).toBe(offered.length);
  });

  it('has a different enum name for every provider', () => {
    const names = providers.map(({ enumName }) => enumName);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))).toEqual([]);
  });

  it.each(providers)('$id $label: fields are well formed', (provider) => {
    expect(provider.name).toMatch(/\S/);
    expect(provider.label).toMatch(/\S/);
    const { defaultBaseUrl, models } = provider;
    if (defaultBaseUrl !== '') {
      expect(URL.canParse(defaultBaseUrl)).toBe(true);
      expect(defaultBaseUrl).not.toMatch(/\/$/);
    }
    expect(provider.needsBaseUrl && defaultBaseUrl !== '').toBe(false);
    expect(models).toEqual([...new Set(models)]);
    expect(models.every((model) => /^\S+$/.test(model))).toBe(true);
    expect(provider.deadKeyStatuses).toContain(401);
  });

  it.each(offered)('$id $label: serves calls or takes tasks', ({ id, adapter }) => {
    expect(Object.keys(adapter).length > 0).toBe(!taskIds.includes(id));
  });

  it.each(providers.filter((provider) => !provider.offered))('$id $label: serves no calls', ({ adapter }) => {
    expect(adapter).toEqual({});
  });

  it.each(offered.filter((provider) => provider.defaultBaseUrl !== '' && canChat(provider.adapter)))(
    '$id $label: chat without a base URL goes to the default one',
    ({ id, defaultBaseUrl, adapter }) => {
      const target = targetFor({ type: id, key: keys[id] ?? 'sk-test', credential: 'exchanged', other: 'account1' });
      expect(chatRequest(adapter, target).url.startsWith(`${defaultBaseUrl}/`)).toBe(true);
    },
  );

  it('finds rows by number, and has an empty one for numbers it does not know', () => {
    expect(findProvider(14)?.label).toBe('Anthropic Claude');
    expect(findProvider(999)).toBeNull();
    expect(providerOf(999)).toMatchObject({ id: 999, name: 'custom', offered: false, adapter: {}, models: [] });
  });
});

describe('the keys of a channel', () => {
  it('stand between commas or on lines, trimmed, each once', () => {
    expect(splitKeys(' a, b\nc\r\nb ,, ', 'list')).toEqual(['a', 'b', 'c']);
    expect(splitKeys(' \n', 'list')).toEqual([]);
  });

  it('are never split when the key is a document', () => {
    expect(splitKeys(' {"a":1,"b":2}\n', 'document')).toEqual(['{"a":1,"b":2}']);
    expect(splitKeys(' ', 'document')).toEqual([]);
  });
});

/** Keys of providers that require a special form. */
const keys: Readonly<Record<number, string>> = { 15: 'AK|SK', 16: 'id.secret', 23: '123|id|secret' };

function canChat({ chat, conversation }: Adapter): boolean {
  return Boolean(chat ?? conversation);
}

function chatRequest({ chat, conversation }: Adapter, target: Target): UpstreamRequest {
  const body = { model: target.upstreamModel, messages: [{ role: 'user', content: 'hi' }] };
  const request: ChatRequest = {
    path: '/v1/chat/completions',
    body,
    rawBody: Buffer.from(JSON.stringify(body)),
    stream: false,
    wantsUsage: false,
  };
  if (chat) return chat.toUpstreamRequest(request, target);
  if (!conversation) throw new Error('the provider does not chat');
  return conversation.toUpstreamRequest(body, { stream: false, model: target.upstreamModel }, target);
}
