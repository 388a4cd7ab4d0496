import { AppError } from '../../../shared/errors.js';
import type { Adapter, ChatCapability, ConversationCapability, TokenCount, UpstreamRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, type Fields, parseFields } from '../../neutral/fields.js';
import type { ClaudeSettings } from '../../languages/anthropic/claude-settings.js';
import { bedrockBetas, withBetas } from '../../languages/anthropic/hosted-betas.js';
import { hostedBody, namesRemoteMedia } from '../../languages/anthropic/hosted-body.js';
import {
  nativeMessage,
  nativeMessagesChanges,
  nativeMessageStream,
} from '../../languages/anthropic/messages-native.js';
import { messagesProvider } from '../../languages/anthropic/messages-write.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { AwsFrames, exceptionOf, UnframedStream } from './frames.js';
import { type AwsKeys, signedHeaders } from './sigv4.js';
import { writeBody } from '../../wire/forms/written-body.js';

interface Access {
  readonly region: string;
  /** The AWS keys. Null if `apiKey` is sent unchanged. */
  readonly keys: AwsKeys | null;
  readonly apiKey: string;
}

/**
 * `AK|SK|REGION`, optionally with a session token as fourth part, or `APIKEY|REGION`.
 * @throws AppError UPSTREAM_UNREACHABLE
 */
function accessOf({ key }: Target): Access {
  const parts = key.split('|').map((part) => part.trim());
  const [first = '', second = '', region = '', sessionToken = ''] = parts;
  if (parts.some((part) => part === '') || parts.length < 2 || parts.length > 4) {
    throw new AppError('UPSTREAM_UNREACHABLE', 'The key of the channel must have the form AccessKey|SecretKey|Region');
  }
  if (parts.length === 2) return { region: second, keys: null, apiKey: first };
  return { region, keys: { accessKey: first, secretKey: second, sessionToken, region }, apiKey: '' };
}

/** Model and streaming are in the URL, so they are removed from the body. */
function toBody(given: Fields): { readonly bytes: Buffer; readonly dropped: readonly string[] } {
  const { body, dropped } = hostedBody(given);
  const { model: _model, stream: _stream, tool_choice: choice, ...rest } = body;
  const { disable_parallel_tool_use: _single, ...chosen } = asFields(choice) ?? {};
  const bytes = writeBody({
    anthropic_version: 'bedrock-2023-05-31',
    ...rest,
    ...(choice === undefined ? {} : { tool_choice: chosen }),
  });
  return { bytes, dropped };
}

function toRequest(body: Fields, model: string, stream: boolean, target: Target): UpstreamRequest {
  const id = encodeURIComponent(bedrockId(model, accessOf(target).region));
  const path = `/model/${id}/invoke${stream ? '-with-response-stream' : ''}`;
  const { bytes, dropped } = toBody(body);
  return { ...signed(path, bytes, target), upstreamModel: model, ...(dropped.length > 0 ? { dropped } : {}) };
}

function signed(path: string, bytes: Buffer | string, target: Target): UpstreamRequest {
  const { region, keys, apiKey } = accessOf(target);
  if (!/^[a-z0-9-]+$/.test(region)) throw new AppError('UPSTREAM_UNREACHABLE', "The channel's key contains no region");
  const base = target.baseUrl.trim().replace(/\/+$/, '') || `https://bedrock-runtime.${region}.amazonaws.com`;
  const url = new URL(base + path);
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const headersFor = (body: Buffer | string): Record<string, string> =>
    keys ? signedHeaders(url, headers, body, keys, target.now) : { ...headers, authorization: `Bearer ${apiKey}` };
  return { method: 'POST', url: url.href, headers: headersFor(bytes), body: bytes, signedFor: headersFor };
}

/** Reads the events of a message, or the exception that ended it. */
class AwsStreamReader implements StreamReader {
  constructor(private readonly events: StreamReader) {}

  push(event: ServerEvent): NeutralEvent[] {
    const error = exceptionOf(event);
    return error ? [{ kind: 'error', error }] : this.events.push(event);
  }

  get done(): boolean {
    return this.events.done;
  }
}

const settingsOf = ({ families }: Target): ClaudeSettings => ({
  ...families.claude,
  remoteMedia: false,
  searchesWeb: false,
});

const conversation: ConversationCapability = {
  codec(target) {
    const codec = messagesProvider(settingsOf(target));
    return { ...codec, openReader: () => new AwsStreamReader(codec.openReader()) };
  },
  openFrames: () => new AwsFrames(),
  toUpstreamRequest: (body, { stream, model }, target) =>
    toRequest(withBetas(body, undefined, bedrockBetas, target), model, stream, target),
};

/** Serves clients of Messages: request and response stay unchanged inside AWS's frames. */
const messages: ChatCapability = {
  serves: ({ messages: turns }) => !namesRemoteMedia(turns),
  toUpstreamRequest(request, target) {
    const { changes, model } = nativeMessagesChanges(request, target, settingsOf(target));
    const body = withBetas({ ...request.body, ...changes }, request.headers, bedrockBetas, target);
    return toRequest(body, model, request.stream, target);
  },
  fromUpstreamResponse: (body) => nativeMessage(body),
  openStream: (_request, _target, transcript) => new UnframedStream(nativeMessageStream(transcript)),
};

/** Bedrock counts for the model itself, not for a profile, and requires a body that could be invoked. */
const countMessages: TokenCount = {
  toUpstreamRequest(request, target) {
    const counted = { ...request, path: '/v1/messages/count_tokens' };
    const { changes, model } = nativeMessagesChanges(counted, target, settingsOf(target));
    const body = withBetas({ max_tokens: 1, ...request.body, ...changes }, request.headers, bedrockBetas, target);
    const input = { invokeModel: { body: toBody(body).bytes.toString('base64') } };
    const { region } = accessOf(target);
    const id = bedrockId(model, region).replace(/^[a-z-]+\.(?=anthropic\.)/, '');
    return signed(`/model/${encodeURIComponent(id)}/count-tokens`, JSON.stringify({ input }), target);
  },
  fromUpstreamResponse: (body) =>
    Buffer.from(JSON.stringify({ input_tokens: parseFields(body.toString('utf8'))?.['inputTokens'] })),
};

/** Type 33, Claude at Bedrock (docs/reference/providers/aws.md). */
export const aws: Adapter = { messages, conversation, countMessages };

/**
 * Bedrock's ids that cannot be derived from the model name, and the regions whose profiles have the model
 * (docs/reference/providers/aws.md#keys-and-models).
 */
const known: Readonly<Record<string, readonly [id: string, ...profiles: string[]]>> = {
  'claude-instant-1.2': ['anthropic.claude-instant-v1'],
  'claude-2.0': ['anthropic.claude-v2'],
  'claude-2.1': ['anthropic.claude-v2:1'],
  'claude-3-sonnet-20240229': ['anthropic.claude-3-sonnet-20240229-v1:0', 'us', 'eu', 'apac'],
  'claude-3-opus-20240229': ['anthropic.claude-3-opus-20240229-v1:0', 'us'],
  'claude-3-haiku-20240307': ['anthropic.claude-3-haiku-20240307-v1:0', 'us', 'eu', 'apac'],
  'claude-3-5-sonnet-20240620': ['anthropic.claude-3-5-sonnet-20240620-v1:0', 'us', 'eu', 'apac'],
  'claude-3-5-sonnet-20241022': ['anthropic.claude-3-5-sonnet-20241022-v2:0', 'us', 'apac'],
  'claude-3-5-haiku-20241022': ['anthropic.claude-3-5-haiku-20241022-v1:0', 'us'],
  'claude-3-7-sonnet-20250219': ['anthropic.claude-3-7-sonnet-20250219-v1:0', 'us', 'eu', 'apac'],
  'claude-sonnet-4-20250514': ['anthropic.claude-sonnet-4-20250514-v1:0', 'us', 'eu', 'apac'],
  'claude-opus-4-20250514': ['anthropic.claude-opus-4-20250514-v1:0', 'us'],
};

/** The profile that serves a region. */
function profileOf(region: string): string {
  if (region.startsWith('us-gov-')) return 'us-gov';
  const [family = ''] = region.split('-', 1);
  return family === 'ap' ? 'apac' : family;
}

/**
 * Bedrock's id of a model in a region. Bedrock's own names, profiles and ARNs are used unchanged; models newer than the
 * table above are only available through profiles.
 */
export function bedrockId(model: string, region: string): string {
  const profile = profileOf(region);
  const found = known[model];
  if (found) {
    const [id, ...profiles] = found;
    return profiles.includes(profile) ? `${profile}.${id}` : id;
  }
  return model.startsWith('claude-') ? `${profile}.anthropic.${model}${versionOf(model)}` : model;
}

/** Since models have no date in their names, their ids have no version; Opus 4.6 was the last to have one. */
function versionOf(model: string): string {
  if (/-\d{8}$/.test(model)) return '-v1:0';
  return model === 'claude-opus-4-6' ? '-v1' : '';
}
