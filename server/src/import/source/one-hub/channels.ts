import { createHash } from 'node:crypto';
import { asFields, parseFields, type Fields as Json } from '../../../shared/json.js';
import { Fields } from '../fields.js';
import { overrideOfParameters } from './parameters.js';
import { jsonOf, listOf, named, without, type Row } from './rows.js';

/** Returns a channel in the columns of new-api. It keeps its type, and settings without a counterpart. */
export function channelOf({ plugin, model_headers: headers, custom_parameter: custom, proxy, ...row }: Row): Row {
  const fields = new Fields({ ...row, model_headers: headers, proxy });
  const { use_openai_api: openAi, customize, ...plugins } = jsonOf(plugin);
  const parameters = jsonOf(custom);
  const mapping = Object.entries(parseFields(fields.text('model_mapping')) ?? {});
  const isBilledAsRequested = ([, name]: readonly [string, unknown]): boolean =>
    typeof name === 'string' && name.startsWith('+');
  const models = fields.text('models').split(',');
  const withoutStream = listOf(row['disabled_stream']);
  const stream = withoutStream.length > 0 && models.every((model) => withoutStream.includes(model.trim()));
  const key = fields.text('key').trim();
  const setting = {
    ...(fields.text('proxy').trim() === '' ? {} : { proxy: proxyOf(fields.text('proxy').trim(), key) }),
    ...(stream ? { stream_support: 'NON_STREAM_ONLY' } : {}),
  };
  const moved = ['allow_extra_body', 'pre_cost', 'deleted_at'];
  if (stream || withoutStream.length === 0) moved.push('disabled_stream');
  if (fields.decimal('cost_ratio') === 0) moved.push('cost_ratio');
  const enabled = Object.entries(plugins).filter(([, plugged]) => asFields(plugged)?.['enable'] === true);
  return {
    ...without(row, ...moved),
    ...formOf(fields.whole('type'), fields, key, asFields(customize)),
    ...(asFields(openAi)?.['enable'] === true ? { plugin: 'use_openai_api' } : {}),
    model_mapping:
      mapping.length === 0
        ? fields.text('model_mapping')
        : JSON.stringify(Object.fromEntries(mapping.map(([from, to]) => [from, withoutPlus(to)]))),
    billed_as_requested: mapping
      .filter(isBilledAsRequested)
      .map(([from]) => from)
      .join(','),
    header_override: Object.keys(jsonOf(headers)).length === 0 ? '' : fields.text('model_headers'),
    param_override: Object.keys(parameters).length === 0 ? '' : JSON.stringify(overrideOfParameters(parameters)),
    setting: Object.keys(setting).length === 0 ? '' : JSON.stringify(setting),
    // one-hub disables failing channels by one option for all of them.
    auto_ban: 1,
    ...named('plugin', Object.fromEntries<unknown>(enabled)),
  };
}

/** `+` before a mapped name means that the call costs what the requested name costs. */
const withoutPlus = (name: unknown): unknown => (typeof name === 'string' ? name.replace(/^\+/, '') : name);

/** `%s` in a proxy stands for a text by which the proxy tells channels apart. */
const proxyOf = (proxy: string, key: string): string =>
  proxy.replace('%s', createHash('md5').update(key).digest('hex'));

/** The paths of a custom channel, by the numbers of one-hub's endpoints. */
const endpoints: ReadonlyArray<readonly [number: string, name: string, path: string]> = [
  ['1', 'chat', '/v1/chat/completions'],
  ['2', 'completions', '/v1/completions'],
  ['3', 'embeddings', '/v1/embeddings'],
  ['4', 'moderations', '/v1/moderations'],
  ['5', 'images', '/v1/images/generations'],
  ['9', 'speech', '/v1/audio/speech'],
  ['10', 'transcription', '/v1/audio/transcriptions'],
  ['11', 'translation', '/v1/audio/translations'],
];
const zhipuVersion = '/api/paas/v4';

/** Returns the key, the address and the field `other` of a channel in the forms of this product. */
function formOf(type: number, row: Fields, key: string, customize: Json | null): Row {
  const base = row.text('base_url').trim().replace(/\/+$/, '');
  const other = row.text('other').trim();
  const [first = '', second = '', third = '', ...more] = key.split('|');
  switch (type) {
    case 8:
      return customize ? { other: endpointsOf(customize), plugin: 'customize' } : {};
    case 16: {
      if (base === '') return {};
      if (base.endsWith(zhipuVersion)) return { base_url: base.slice(0, -zhipuVersion.length) };
      const paths = endpoints.map(([number, , path]) => [number, path.replace('/v1', '')] as const);
      return { other: endpointsOf(Object.fromEntries<unknown>(paths)), plugin: 'customize' };
    }
    case 27:
      // The older API needs the group beside the key.
      return { base_url: base.replace(/\/v1$/, ''), key: first };
    case 32:
      return { key: third === '' ? `${second}|${first}` : [second, third, first, ...more].join('|') };
    case 35:
      return { key: second, other: first, base_url: base.replace(/\/client\/v4\/accounts\/%s\/ai\/run\/%s$/, '') };
    case 36:
      return { base_url: base.replace(/\/v1$/, '') };
    case 40:
      // The id of the application is in no signature.
      return { key: `0|${key}` };
    case 42:
      return { other: other.split('|')[0] ?? '' };
    default:
      return {};
  }
}

function endpointsOf(customize: Json): string {
  const paths = endpoints.flatMap(([number, name, usual]) => {
    const path = customize[number];
    if (path === 'disable') return [];
    return [[name, typeof path === 'string' && path !== '' ? path : usual] as const];
  });
  return JSON.stringify({ endpoints: Object.fromEntries<unknown>(paths) });
}
