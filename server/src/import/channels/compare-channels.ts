import { providerOf } from '../../dialects/makers/providers.js';
import { splitList } from '../../shared/comma-list.js';
import { asFields, parseFields } from '../../shared/json.js';
import { splitKeys } from '../../dialects/providers/channel-keys.js';
import type { Family } from '../family.js';
import { Findings } from '../findings.js';
import { mapType } from '../map/channel-types.js';
import { mapChannel } from '../map/channels.js';
import type { MapContext, Mapped } from '../map/mapped.js';
import { rowsOf } from '../source-rows.js';
import { BadRecord, type Fields } from '../source/fields.js';
import type { SourceDatabase } from '../source/source.js';
import { generationOf, type Generation } from '../prices/generation.js';
import { addressThere, builtInBase } from './address-there.js';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { probe } from './probe.js';
import { requestHere, type ChannelHere } from './request-here.js';

/** The URL of a channel's chat calls, in the source program and here. */
export interface ChannelAddress {
  readonly id: number;
  readonly name: string;
  readonly model: string;
  /** The URL in the source program. Null if the key is exchanged first, or a socket is opened. */
  readonly there: string | null;
  readonly here: string | null;
  /** The result of a test call; null if none was requested. */
  readonly probe: string | null;
}

/**
 * Compares the URLs to which channels send a chat call.
 * @param http sends a test call over each enabled channel; null: none is sent
 */
export async function compareChannels(
  source: SourceDatabase,
  context: MapContext,
  http: GuardedFetch | null,
): Promise<ChannelAddress[]> {
  const compared: ChannelAddress[] = [];
  const generation = generationOf(context.family, source);
  // The mapper reports its findings when the table is read, so they are dropped here.
  const silent = { ...context, findings: new Findings() };
  for await (const page of rowsOf(source, 'channels')) {
    for (const row of page) {
      const mapped = mappedOf(row, silent);
      if (mapped) compared.push(await compareChannel(row, mapped, { ...context, generation }, http));
    }
  }
  return compared;
}

function mappedOf(row: Fields, context: MapContext): Mapped | null {
  try {
    return mapChannel(row, context)[0] ?? null;
  } catch (error) {
    if (!(error instanceof BadRecord)) throw error;
    return null;
  }
}

/** Returns the path of chat calls of a channel with endpoints of its own. */
function chatPathOf(other: string): string {
  const path = asFields(parseFields(other)?.['endpoints'])?.['chat'];
  return typeof path === 'string' ? path : '';
}

/** Returns the channel that is made of a row, with its first model and its first key. */
export function channelHere(row: Fields, { values, sealed }: Mapped): ChannelHere {
  const text = (name: string): string => {
    const value = values[name];
    return typeof value === 'string' ? value : '';
  };
  const models = splitList(row.text('models'));
  const [first = ''] = models;
  const target = asFields(values['model_mapping'])?.[first];
  return {
    id: row.id,
    type: Number(values['type']),
    baseUrl: text('base_url'),
    other: text('other'),
    setting: values['setting'] ?? {},
    organization: text('openai_organization'),
    key: splitKeys(sealed?.['key_sealed'] ?? '', 'list')[0] ?? '',
    models,
    model: typeof target === 'string' && target !== '' ? target : first,
  };
}

async function compareChannel(
  row: Fields,
  mapped: Mapped,
  { family, findings, generation }: MapContext & { readonly generation: Generation | null },
  http: GuardedFetch | null,
): Promise<ChannelAddress> {
  const { values } = mapped;
  const given = row.whole('type', 1);
  const channel = channelHere(row, mapped);
  const { type, models, model, other } = channel;
  const baseUrl =
    row.text('base_url').trim().replace(/\/+$/, '') || (builtInBase(family, given) ?? providerOf(type).defaultBaseUrl);
  // Without a base URL, a channel of some types is disabled here, because the program has no address for it either.
  const hasAddress = channel.baseUrl !== '' || !mapType(family, given, models, row.text('plugin'))?.needsBaseUrl;
  const request = hasAddress ? requestHere(channel) : null;
  const called = { type: given, baseUrl, model, account: other, path: chatPathOf(other) };
  const there = hasAddress ? calledThere(row, called, family, generation) : null;
  const here = request?.url.split('?', 1)[0] ?? null;
  if (there !== null && here !== null && there !== here) {
    findings.add('channel-address', 'channels', row.id, `${there} there, ${here} here`);
  }
  let probed: string | null = null;
  if (http && values['status'] === 'enabled') {
    probed = request ? await probe(http, request) : 'not tried: no chat over this channel';
  }
  return { id: row.id, name: String(values['name']), model, there, here, probe: probed };
}

type Called = Omit<Parameters<typeof addressThere>[0], 'generation' | 'version' | 'plugin'>;

function calledThere(row: Fields, called: Called, family: Family, generation: Generation | null): string | null {
  if (generation === null) return row.text('address') || null;
  if (called.baseUrl === '') return null;
  const given = parseFields(row.text('config'))?.['api_version'];
  const ofHub = family === 'one-hub' && called.type === 25 ? row.text('other') : '';
  const version = typeof given === 'string' ? given : ofHub;
  return addressThere({ ...called, generation, version, plugin: row.text('plugin') });
}
