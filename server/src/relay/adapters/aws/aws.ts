import { AppError } from '../../../shared/errors.js';
import type {
  Adapter,
  ChatCapability,
  ChatRequest,
  ConversationCapability,
  Target,
  UpstreamRequest,
} from '../../adapter.js';
import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, parseFields, type Fields } from '../../neutral/fields.js';
import { nativeMessage, nativeMessagesBody, nativeMessageStream } from '../../protocols/anthropic/messages-native.js';
import { messagesProvider } from '../../protocols/anthropic/messages-write.js';
import type { ServerEvent } from '../../sse/event.js';
import { AwsFrames, exceptionOf } from './frames.js';
import { bedrockId } from './models.js';
import { signedHeaders, type AwsKeys } from './sigv4.js';
import { UnframedStream } from './unframed-stream.js';

interface Access {
  readonly region: string;
  /** Null: `apiKey` is sent unchanged. */
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
function toBody(body: Fields): string {
  const { model: _model, stream: _stream, tool_choice: choice, ...rest } = body;
  const { disable_parallel_tool_use: _single, ...chosen } = asFields(choice) ?? {};
  return JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    ...rest,
    ...(choice === undefined ? {} : { tool_choice: chosen }),
  });
}

function toRequest(body: Fields, model: string, stream: boolean, target: Target): UpstreamRequest {
  const { region, keys, apiKey } = accessOf(target);
  if (!/^[a-z0-9-]+$/.test(region))
    throw new AppError('UPSTREAM_UNREACHABLE', 'The key of the channel names no region');
  const base = target.baseUrl.trim().replace(/\/+$/, '') || `https://bedrock-runtime.${region}.amazonaws.com`;
  const id = encodeURIComponent(bedrockId(model, region));
  const url = new URL(`${base}/model/${id}/invoke${stream ? '-with-response-stream' : ''}`);
  const text = toBody(body);
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  return {
    method: 'POST',
    url: url.href,
    headers: keys
      ? signedHeaders(url, headers, text, keys, target.now)
      : { ...headers, authorization: `Bearer ${apiKey}` },
    body: text,
    upstreamModel: model,
  };
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

const conversation: ConversationCapability = {
  codec(target) {
    const codec = messagesProvider({ ...target.families.claude, remoteMedia: false });
    return { ...codec, openReader: () => new AwsStreamReader(codec.openReader()) };
  },
  openFrames: () => new AwsFrames(),
  toUpstreamRequest: (body, { stream, model }, target) => toRequest(body, model, stream, target),
};

/** Betas that Bedrock's `invoke` accepts in the body; it refuses a call with any other. As of November 2026. */
const bedrockBetas: ReadonlySet<string> = new Set([
  'compact-2026-01-12',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dangerous-tool-use-2026-09-03',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'mid-conversation-output-config-2026-07-01',
  'mid-conversation-tool-changes-2026-07-01',
  'thinking-binding-controls-2026-08-01',
  'thinking-display-updates-2026-08-18',
  'tool-search-tool-2025-10-19',
]);

/** Bedrock reads betas from the body, Anthropic from a header. */
function withBetas(body: Fields, headers: ChatRequest['headers']): Fields {
  const named = (headers?.['anthropic-beta'] ?? '').split(',').map((name) => name.trim());
  const inBody = Array.isArray(body['anthropic_beta']) ? (body['anthropic_beta'] as unknown[]) : [];
  const betas = [...new Set([...inBody, ...named.filter((name) => bedrockBetas.has(name))])];
  return betas.length > 0 ? { ...body, anthropic_beta: betas } : body;
}

/** For clients of Messages: request and response stay unchanged inside AWS's frames. */
const messages: ChatCapability = {
  toUpstreamRequest(request, target) {
    const { bytes, model } = nativeMessagesBody(request, target, { ...target.families.claude, remoteMedia: false });
    const body = parseFields(bytes.toString()) ?? {};
    return toRequest(withBetas(body, request.headers), model, request.stream, target);
  },
  fromUpstreamResponse: nativeMessage,
  openStream: (_request, _target, heard) => new UnframedStream(nativeMessageStream(heard)),
};

/** Type 33, Claude at Bedrock (docs/reference/providers/aws.md). */
export const aws: Adapter = { messages, conversation };
