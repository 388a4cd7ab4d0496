import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UpstreamRequest } from '../../dialects/contract.js';
import { Findings } from '../findings.js';
import type { Family } from '../family.js';
import { mapChannel } from '../map/channels.js';
import type { MapContext } from '../map/mapped.js';
import { Fields } from '../source/fields.js';
import type { SourceDatabase, SourceRow } from '../source/source.js';
import { channelHere, compareChannels, type ChannelAddress } from './compare-channels.js';
import { requestHere } from './request-here.js';

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

/** Makers whose keys have a form of their own. */
const keys: Readonly<Record<string, string>> = { Zhipu: 'id.secret', Tencent: '1|id|secret', Hunyuan: '1|id|secret' };

/** A channel of every type of a program. */
const rowsFor = (family: keyof typeof numbers, base: Base): SourceRow[] =>
  Object.entries(numbers[family]).map(([type, entry]): SourceRow => {
    const [name = ''] = entry.split(' ');
    const model = models[name] ?? 'model-x';
    return {
      id: Number(type),
      type: Number(type),
      name,
      key: keys[name] ?? 'sk-secret',
      status: 1,
      base_url: bases[base],
      models: `asked,${model}`,
      model_mapping: JSON.stringify({ asked: model }),
      group: 'default',
      config: family === 'one-api' ? '{"user_id":"account","library_id":"library"}' : '',
      // An account for Cloudflare; for Gemini of one-hub a version of the API, which the other programs ignore there.
      other: family === 'one-api' ? '' : name === 'Gemini' ? 'v1' : 'account',
    };
  });

const contextOf = (family: Family, columns: readonly string[]): MapContext =>
  ({
    family,
    findings: new Findings(),
    options: new Map(),
    prices: { generation: columns.includes('channel_info') ? 'new-api 2026' : null },
    decisions: { acceptPriceDifferences: false },
  }) as unknown as MapContext;

/** Compares a channel of every type of a program. */
async function compare(
  family: keyof typeof numbers,
  base: Base,
  columns: readonly string[],
): Promise<ChannelAddress[]> {
  const rows = rowsFor(family, base);
  const source = {
    columns: new Map([['channels', new Set(['id', ...columns])]]),
    page: async (_table: string, { after }: { after: number }) => rows.filter(({ id }) => Number(id) > after),
  } as unknown as SourceDatabase;
  return compareChannels(source, contextOf(family, columns), null);
}

/** The paths of two URLs that differ; hosts, too, if those differ. */
function differenceOf({ there, here }: ChannelAddress): string {
  const [from, to] = [new URL(there ?? ''), new URL(here ?? '')];
  return from.host === to.host ? `${from.pathname} > ${to.pathname}` : `${from.href} > ${to.href}`;
}

/** The header in which a maker gets the key, if that is not a bearer token. */
const keyPlaces: Readonly<Record<string, string>> = {
  Azure: 'api-key: sk-secret',
  Anthropic: 'x-api-key: sk-secret',
  Gemini: 'x-goog-api-key: sk-secret',
  PaLM: 'x-goog-api-key: sk-secret',
  Zhipu: 'authorization: signed',
  Tencent: 'authorization: signed',
  Hunyuan: 'authorization: signed',
};

/** Returns the header with the key. A signature is of this moment, and does not contain the key. */
function keyPlace({ headers }: UpstreamRequest): string {
  const [name, value = ''] = Object.entries(headers).find(([each]) => /^(?:authorization|.*api-key)$/.test(each)) ?? [];
  return `${name}: ${value.includes('sk-secret') ? value : 'signed'}`;
}

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
    expect(different.map((one) => `${one.id} ${one.name}: ${differenceOf(one)}`)).toEqual([]);
    // A channel that the program calls, but that cannot be called here.
    const lost = called.filter(({ here }) => here === null);
    expect(lost.map(({ id, name }) => `${id} ${name}`)).toEqual([]);
    expect(compared.length).toBeGreaterThan(15);
  });

  it.each(Object.keys(bases) as Base[])('sends the same key and model with a base URL that is %s', (base) => {
    const context = contextOf(family, columns);
    let count = 0;
    for (const each of rowsFor(family, base)) {
      const row = new Fields(each);
      const [mapped] = mapChannel(row, context);
      const request = mapped && requestHere(channelHere(row, mapped));
      if (!request || mapped.values['status'] !== 'enabled') continue;
      const name = row.text('name');
      const model = models[name] ?? 'model-x';
      // The app behind the key has the model.
      const isOfApp = name === 'Dify' || name === 'PaLM' || name === 'AIProxyLibrary';
      const body = JSON.parse(String(request.body)) as { model?: string; Model?: string };
      const path = decodeURIComponent(new URL(request.url).pathname).split(/[/:]/);
      const isNamed = (body.model ?? body.Model) === model || path.includes(model);
      count++;
      expect({ name, key: keyPlace(request), isNamed: isOfApp || isNamed }).toEqual({
        name,
        key: keyPlaces[name] ?? 'authorization: Bearer sk-secret',
        isNamed: true,
      });
    }
    expect(count).toBeGreaterThan(15);
  });
});
