import type { Accepts } from './accepts.js';
import type { BodyOverride } from '../shared/channel-override.js';
import type { ClaudeSettings } from './languages/anthropic/claude-settings.js';
import type { GeminiSettings } from './languages/gemini/gemini-settings.js';

/** Settings of admins for all channels of a provider family (options `claude.*`, `gemini.*`). */
export interface FamilySettings {
  readonly claude: Omit<ClaudeSettings, 'remoteMedia'>;
  /** Headers by model, then name. They replace headers that the adapter sets. */
  readonly claudeHeaders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly gemini: Omit<GeminiSettings, 'imageLimit' | 'callIds' | 'excludesDomains'>;
  /** API version by model; `default` for all others. */
  readonly geminiVersions: Readonly<Record<string, string>>;
  /** This site, for providers that want to identify the caller. The address may be empty. */
  readonly site: { readonly address: string; readonly name: string };
}

/** Everything an adapter may know about the channel of a call. Credentials and URL are passed as one object. */
export interface Target {
  readonly channelId: number;
  readonly type: number;
  /** The channel's base URL, else the provider's default; empty when neither exists. */
  readonly baseUrl: string;
  readonly accepts: Accepts;
  /** The key chosen for this attempt. */
  readonly key: string;
  readonly organization: string;
  readonly other: string;
  /** When the channel was created. Null when that is unknown. */
  readonly createdAt: Date | null;
  readonly setting: ChannelSetting;
  /** Model name after removing the prefix and applying the mapping: the model requested from the provider. */
  readonly upstreamModel: string;
  /** The model the client requested, including the routing prefix. */
  readonly requestedModel: string;
  /** Every model name of the channel: no suffix is removed from a name listed here. */
  readonly models: readonly string[];
  /** The environment variable `FORCE_STREAM_OPTION`. */
  readonly forceStreamUsage: boolean;
  /** The environment variable `AZURE_DEFAULT_API_VERSION`, for channels without a version of their own. */
  readonly azureVersion?: string;
  /** `param_override`: applied to the converted body (`dialects/overrides/`). Null when the channel has none. */
  readonly override: BodyOverride | null;
  /** The limit of the output in tokens, as in `ParsedRequest`. */
  readonly outputLimit?: number | undefined;
  /**
   * The calls of this model that the provider has refused at chat completions and accepts at Responses. Absent: none.
   */
  readonly refusedAtChat?: 'tools' | 'all' | undefined;
  /** Option `global.pass_through_request_enabled`: only the model name may still be changed. */
  readonly passThrough: boolean;
  readonly families: FamilySettings;
  /** The result of the adapter's `credential` exchange for the key; '' without one. */
  readonly credential: string;
  /** Unix milliseconds, for signatures. */
  readonly now: number;
}

/** Parsed `channel.setting` (docs/reference/relay/routing.md#per-channel-settings). */
export interface ChannelSetting {
  /** The URL of a proxy: http, https or socks5. */
  readonly proxy?: string;
  readonly forceFormat?: boolean;
  readonly thinkingToContent?: boolean;
  readonly nonStreamOnly?: boolean;
  /**
   * The upstream for clients that do not speak Responses. `alternative`: the other chat API of the provider. Absent: Responses only for
   * calls that need it.
   */
  readonly chatUpstream?: 'chat' | 'responses' | 'alternative' | undefined;
}
