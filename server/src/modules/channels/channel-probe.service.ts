/** One small real request to a channel, outside of the relay's accounting. `relay/probe.ts` meets it. */
export interface ChannelProbe {
  /** Never throws for what the provider does: that is the result. */
  send(request: ProbeRequest): Promise<ProbeResult>;
}

export interface ProbeRequest {
  readonly channelId: number;
  /** As a client would ask for it; the channel's model mapping applies. */
  readonly model: string;
  readonly endpoint: 'chat' | 'embeddings';
  /** In the OpenAI dialect, `model` included. */
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * A key that the provider refuses is not used again, as after a call
   * (docs/reference/relay/routing.md#automatic-disabling).
   */
  readonly retires: boolean;
}

export type ProbeResult =
  | {
      readonly success: true;
      readonly milliseconds: number;
      readonly promptTokens: number;
      readonly completionTokens: number;
    }
  | {
      readonly success: false;
      readonly milliseconds: number;
      /** The provider's status, absent when there was no answer. */
      readonly status?: number;
      /** For an admin, `status code N: …` when the provider answered; masked, without keys. */
      readonly message: string;
      /** No key of the channel is left that its provider takes: a request that retires found the last one refused. */
      readonly refused: boolean;
      /** The network failed, so the time says nothing about the provider. */
      readonly unreachable: boolean;
    };
