/** One small real request to a channel, outside of the relay's accounting. Implemented by `services/probe.ts`. */
export interface ChannelProbe {
  /** Sends the request. Never throws for failures of the provider: they are the result. */
  send(request: ProbeRequest): Promise<ProbeResult>;
}

export interface ProbeRequest {
  readonly channelId: number;
  /** The model as a client would request it. The channel's model mapping applies. */
  readonly model: string;
  /** Position of the key, from 1. Absent for the next key in rotation. */
  readonly key?: number | undefined;
  readonly endpoint: 'chat' | 'completions' | 'embeddings' | 'rerank' | 'moderations' | 'images' | 'speech';
  /** The body in the OpenAI dialect, including `model`. */
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * Whether a key that the provider refuses is disabled, as after a call
   * (docs/reference/relay/routing.md#automatic-disabling).
   */
  readonly retires: boolean;
}

export type ProbeResult =
  | {
      readonly success: true;
      readonly milliseconds: number;
      /** Prompt tokens; 0 when the provider reports no tokens for such calls. */
      readonly promptTokens: number;
      readonly completionTokens: number;
    }
  | {
      readonly success: false;
      readonly milliseconds: number;
      /** The provider's status; absent when there was no response. */
      readonly status?: number;
      /** The message for an admin, `status code N: …` when the provider responded; masked, without keys. */
      readonly message: string;
      /** Whether the provider refuses every key of the channel: a request with `retires` disabled the last one. */
      readonly refused: boolean;
      /** Whether the network failed, so that the duration says nothing about the provider. */
      readonly unreachable: boolean;
    };
