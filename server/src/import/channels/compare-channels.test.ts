import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Findings } from '../findings.js';
import type { Family } from '../family.js';
import type { MapContext } from '../map/mapped.js';
import type { SourceDatabase, SourceRow } from '../source/source.js';
import { compareChannels, type ChannelAddress } from './compare-channels.js';

/** The channel types of other programs, with their makers. */
const numbers = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../tests/fixtures/channel-numbers.json'), 'utf8'),
) as Readonly<Record<Exclude<Family, 'litellm'>, Readonly<Record<string, string>>>>;

const bases = {
  own: 'https://gateway.example',
  'with a version': 'https://gateway.example/api/paas/v4',
  'built in': '',
};
type Base = keyof typeof bases;

/** Makers whose type has paths by the model. */
const models: Readonly<Record<string, string>> = {
  Gemini: 'gemini-2.5-pro',
  Anthropic: 'claude-sonnet-4-5',
  Zhipu: 'glm-4',
};

/** Compares a channel of every type of a program. */
async function compare(
  family: keyof typeof numbers,
  base: Base,
  columns: readonly string[],
): Promise<ChannelAddress[]> {
  const rows = Object.entries(numbers[family]).map(([type, entry]): SourceRow => ({
    id: Number(type),
    type: Number(type),
    name: entry.split(' ')[0],
    key: entry.startsWith('Zhipu') ? 'id.secret' : '1|secret|key',
    status: 1,
    base_url: bases[base],
    models: models[entry.split(' ')[0] ?? ''] ?? 'model-x',
    group: 'default',
    config: family === 'one-api' ? '{"user_id":"account","library_id":"library"}' : '',
    // A version of the API for Gemini, an account for Cloudflare.
    other: family === 'one-api' || entry.startsWith('Gemini') ? '' : 'account',
  }));
  const source = {
    columns: new Map([['channels', new Set(['id', ...columns])]]),
    page: async (_table: string, { after }: { after: number }) => rows.filter(({ id }) => Number(id) > after),
  } as unknown as SourceDatabase;
  const context = {
    family,
    findings: new Findings(),
    options: new Map(),
    decisions: { acceptPriceDifferences: false },
  } as unknown as MapContext;
  return compareChannels(source, context, null);
}

/** The paths of two URLs that differ; hosts, too, if those differ. */
function differenceOf({ there, here }: ChannelAddress): string {
  const [from, to] = [new URL(there ?? ''), new URL(here ?? '')];
  return from.host === to.host ? `${from.pathname} > ${to.pathname}` : `${from.href} > ${to.href}`;
}

/**
 * Makers whose chat calls go to another path of the same host, because it replaces the one that the program calls. The report names
 * each such channel.
 */
const newerPaths: Readonly<Record<string, string>> = {
  Ali: '/compatible-mode/v1/chat/completions',
  Cloudflare: '/ai/v1/chat/completions',
  Cohere: '/v2/chat',
  Gemini: '/v1beta/models/gemini-2.5-pro:generateContent',
  MiniMax: '/v1/text/chatcompletion_v2',
  Ollama: '/v1/chat/completions',
};

describe.each<[keyof typeof numbers, readonly string[]]>([
  ['one-api', []],
  ['veloera', []],
  ['new-api', []],
  ['new-api', ['channel_info']],
  ['one-hub', []],
])('every type of channel of %s %j', (family, columns) => {
  it.each(Object.keys(bases) as Base[])('reaches the same URL with a base URL that is %s', async (base) => {
    const found = await compare(family, base, columns);
    expect(found).toHaveLength(Object.keys(numbers[family]).length);
    const called = found.filter(({ there }) => there !== null);
    const compared = called.filter(({ here }) => here !== null);
    const different = compared.filter(({ there, here }) => there !== here);
    process.stdout.write(
      `${family} ${columns.join()} ${base}: ${compared.length - different.length} same, ${different.length} newer paths\n`,
    );
    const unexplained = different.filter((one) => {
      const path = newerPaths[one.name];
      return path === undefined || differenceOf(one).includes('://') || !one.here?.endsWith(path);
    });
    expect(unexplained.map((one) => `${one.id} ${one.name}: ${differenceOf(one)}`)).toEqual([]);
    // A channel that the program calls, but that cannot be called here.
    const lost = called.filter(({ here }) => here === null);
    expect(lost.map(({ id, name }) => `${id} ${name}`)).toEqual([]);
    expect(compared.length).toBeGreaterThan(15);
  });
});
