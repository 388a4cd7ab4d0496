import { RelayError } from '../../dialects/errors/relay-error.js';
import { deploymentOf } from '../../dialects/makers/azure/azure.js';
import type { RoutedChannel } from '../../gateway/route/routed-channel.js';

/** The address of OpenAI-compatible channels without a base URL. */
const openAIAddress = 'https://api.openai.com';
const usualVersion = '2024-12-01-preview';

/** URL and headers of a provider's session. */
export interface RealtimeTarget {
  /** The URL, with the scheme `ws:` or `wss:`. */
  readonly url: URL;
  /** The headers with the credentials. They are in one object with the URL, so that a key cannot reach another host. */
  readonly headers: Readonly<Record<string, string>>;
  /** The channel's proxy for this connection. */
  readonly proxy: string | undefined;
}

/** The session that a client asks for. */
export interface AskedTarget {
  /** The client's query parameters besides the model. */
  readonly query: URLSearchParams;
  /** The variable AZURE_DEFAULT_API_VERSION. */
  readonly azureVersion: string | undefined;
  /**
   * Whether the session only transcribes speech. Its model is then named in an event, and providers refuse a model in
   * the URL.
   */
  readonly isTranscription: boolean;
}

/**
 * URL and headers of a session at a channel's provider (docs/reference/providers/openai-family.md#urls and
 * docs/reference/relay/realtime.md).
 * @throws RelayError unsupported_by_channel, do_request_failed
 */
export function realtimeTarget(channel: RoutedChannel, key: string, model: string, asked: AskedTarget): RealtimeTarget {
  const { proxy } = channel.setting;
  const { realtime } = channel.provider;
  if (realtime === 'azure') return { ...azureTarget(channel, key, model, asked), proxy };
  if (realtime !== 'openai') throw unsupported('This channel does not support realtime sessions');
  const url = toSocketUrl(channel.baseUrl || channel.provider.defaultBaseUrl || openAIAddress, '/v1/realtime');
  if (asked.isTranscription) url.searchParams.set('intent', 'transcription');
  else url.searchParams.set('model', model);
  return {
    url,
    proxy,
    headers: {
      authorization: `Bearer ${key}`,
      ...(channel.organization === '' ? {} : { 'openai-organization': channel.organization }),
    },
  };
}

function azureTarget(
  channel: RoutedChannel,
  key: string,
  model: string,
  { query, azureVersion = usualVersion, isTranscription }: AskedTarget,
): Omit<RealtimeTarget, 'proxy'> {
  const url = toSocketUrl(channel.baseUrl, '/openai/realtime');
  if (isTranscription) url.searchParams.set('intent', 'transcription');
  else url.searchParams.set('deployment', deploymentOf(model, channel));
  url.searchParams.set('api-version', query.get('api-version') || channel.other.trim() || azureVersion);
  return { url, headers: { 'api-key': key } };
}

function toSocketUrl(base: string, path: string): URL {
  const text = base.replace(/\/+$/, '') + path;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new RelayError('UPSTREAM_UNREACHABLE', "The channel's URL is not usable", 'do_request_failed');
  }
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url;
}

const unsupported = (message: string): RelayError =>
  new RelayError('UNSUPPORTED_BY_CHANNEL', message, 'unsupported_by_channel');
