import { unsupported } from '../../neutral/field-name.js';
import { asFields, asFieldsList, type Fields, type Json, without } from '../../neutral/fields.js';
import { changedList } from '../../wire/pass-through/changed-list.js';
import { threadLeftOut, threadName } from '../../neutral/thread.js';

/** Whether messages name images or documents by URL. Hosts of Claude do not fetch URLs. */
export const namesRemoteMedia = (messages: unknown): boolean =>
  asFieldsList(messages).some(({ content }) => asFieldsList(content).some(isRemote));

const isRemote = (block: Fields): boolean =>
  asFields(block['source'])?.['type'] === 'url' ||
  (block['type'] === 'tool_result' && asFieldsList(block['content']).some(isRemote));

/** A body that a host of Claude accepts, and the names of the fields that were left out. */
export interface HostedBody {
  readonly body: Json;
  readonly dropped: readonly string[];
}

const hints = ['service_tier', 'speed'] as const;
/** Fields of features that only Anthropic itself runs. */
const ownServices = ['container', 'mcp_servers', 'inference_geo'] as const;

/**
 * Returns a Messages body for Vertex AI and Bedrock
 * (docs/reference/providers/gemini-and-vertex.md#claude-on-vertex-ai). A cache mark for the whole prompt moves to the
 * last block, which has the same effect.
 * @throws AppError UNSUPPORTED_BY_CHANNEL naming the field; RelayError thread_not_found
 */
export function hostedBody(given: Fields): HostedBody {
  const own = ownServices.find((name) => isSet(given[name]));
  if (own) throw unsupported(own, 'hosts of Claude do not offer it');
  const thread = threadLeftOut(given);
  const { cache_control: whole, output_format: format, ...body } = without(given, unknown);
  // The older name of the field needs a beta that hosts do not have.
  if (isSet(format)) body['output_config'] = { format, ...asFields(body['output_config']) };
  const mark = asFields(whole);
  const hadScope = withoutScopes(body) || mark?.['scope'] !== undefined;
  if (mark) body['messages'] = withMark(body['messages'], withoutScope(mark));
  const hinted = hints.filter((name) => isSet(given[name]));
  return { body, dropped: [...hinted, ...thread, ...(hadScope ? ['cache_control.scope'] : [])] };
}

const unknown: ReadonlySet<string> = new Set([...hints, ...ownServices, threadName]);

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** @returns whether a scope was removed */
function withoutScopes(body: Json): boolean {
  let found = false;
  const block = (each: Fields): Fields => {
    const content = changedList(each['content'], block);
    const mark = asFields(each['cache_control']);
    const isScoped = mark?.['scope'] !== undefined;
    found ||= isScoped;
    if (content === each['content'] && !isScoped) return each;
    return { ...each, content, ...(isScoped && mark ? { cache_control: withoutScope(mark) } : {}) };
  };
  for (const name of ['system', 'tools', 'messages']) {
    const changed = changedList(body[name], block);
    if (changed !== body[name]) body[name] = changed;
  }
  return found;
}

function withoutScope({ scope: _scope, ...mark }: Fields): Fields {
  return mark;
}

const uncached = new Set(['thinking', 'redacted_thinking']);

/** Sets a cache mark on the last block that can be cached. */
function withMark(messages: unknown, mark: Fields): unknown {
  const all = asFieldsList(messages);
  const last = all.at(-1);
  if (!last) return messages;
  const content = last['content'];
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : asFieldsList(content);
  const at = blocks.findLastIndex(({ type }) => !uncached.has(String(type)));
  const marked = blocks.map((block, index) => (index === at ? { cache_control: mark, ...block } : block));
  return at < 0 ? messages : [...all.slice(0, -1), { ...last, content: marked }];
}
