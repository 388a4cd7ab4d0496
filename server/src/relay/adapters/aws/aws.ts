import { AppError } from '../../../shared/errors.js';
import type { Adapter, ChatCapability, ConversationCapability, Target, UpstreamRequest } from '../../adapter.js';
import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, parseFields } from '../../neutral/fields.js';
import { nativeMessage, nativeMessagesBody, nativeMessageStream } from '../../protocols/anthropic/messages-native.js';
import { messagesProvider } from '../../protocols/anthropic/messages-write.js';
import type { ServerEvent } from '../../sse/event.js';
import { AwsFrames, exceptionOf } from './frames.js';
import { bedrockId } from './models.js';
import { signedHeaders, type AwsKeys } from './sigv4.js';
import { UnframedStream } from './unframed-stream.js';

type Json = Readonly<Record<string, unknown>>;

interface Access {
  readonly region: string;
  /** Null: `apiKey` is sent as it is. */
  readonly keys: AwsKeys | null;
  readonly apiKey: string;
}

/** `AK|SK|REGION`, with a session token as fourth, or `APIKEY|REGION`. @throws AppError UPSTREAM_UNREACHABLE */
function accessOf({ key }: Target): Access {
  const parts = key.split('|').map((part) => part.trim());
  const [first = '', second = '', region = '', sessionToken = ''] = parts;
  if (parts.some((part) => part === '') || parts.length < 2 || parts.length > 4) {
    throw new AppError('UPSTREAM_UNREACHABLE', 'The key of the channel must have the form AccessKey|SecretKey|Region');
  }
  if (parts.length === 2) return { region: second, keys: null, apiKey: first };
  return { region, keys: { accessKey: first, secretKey: second, sessionToken, region }, apiKey: '' };
}

/** The model stands in the address, and whether to stream as well. */
function toBody(body: Json): string {
  const { model: _model, stream: _stream, tool_choice: choice, ...rest } = body;
  const { disable_parallel_tool_use: _single, ...chosen } = asFields(choice) ?? {};
  return JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    ...rest,
    ...(choice === undefined ? {} : { tool_choice: chosen }),
  });
}

function toRequest(body: Json, model: string, stream: boolean, target: Target): UpstreamRequest {
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

/** Events of a message, or the exception that ended it. */
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

/** Clients of Messages: what they say and what Claude answers stays as it is, in AWS's frames. */
const messages: ChatCapability = {
  toUpstreamRequest(request, target) {
    const { bytes, model } = nativeMessagesBody(request, target, { ...target.families.claude, remoteMedia: false });
    return toRequest(parseFields(bytes.toString()) ?? {}, model, request.stream, target);
  },
  fromUpstreamResponse: nativeMessage,
  openStream: (_request, _target, heard) => new UnframedStream(nativeMessageStream(heard)),
};

/** Type 33, Claude at Bedrock (docs/reference/providers/aws.md). */
export const aws: Adapter = { messages, conversation };
