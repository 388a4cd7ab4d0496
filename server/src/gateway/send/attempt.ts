import type { IncomingHttpHeaders } from 'node:http';
import type { FamilySettings } from '../../dialects/target.js';
import type { Delivery } from '../deliver/delivery.js';
import type { Caller } from '../admit/authentication.js';
import type { CallGuard } from '../admit/guardrails/call-guard.js';
import type { ParsedRequest } from '../request.js';
import type { TextMeter } from '../reserve/metering/text-meter.js';
import type { AnswerStore } from '../../dialects/neutral/codec.js';
import type { RoutedChannel } from '../route/routed-channel.js';
import type { Credentials } from '../upstream/credentials.js';
import type { UpstreamClient } from '../upstream/upstream-client.js';
import type { Correction } from '../../dialects/corrections/correction.js';
import type { LearnedCorrections } from './learned-corrections.js';
import type { AttemptSpan } from '../observe/tracing/call-trace.js';
import type { AttemptRace } from './attempt-race.js';
import type { AbandonedExchange } from './disconnected-clients.js';
import type { FetchMedia } from './media-fetch.js';

/** Time and size limits of an attempt. */
export interface AttemptSettings {
  /** Milliseconds. */
  readonly firstByteTimeout: number;
  readonly idleTimeout: number;
  readonly totalTimeout: number;
  readonly forceStreamUsage: boolean;
  readonly azureVersion?: string;
  /** Maximum bytes of a non-streaming response. */
  readonly maxAnswerBytes: number;
}

/** One attempt of one call at one channel with one key. */
export interface Attempt {
  readonly requestId: string;
  readonly request: ParsedRequest;
  /** Path and query. */
  readonly path: string;
  readonly rawBody: Buffer;
  /** All headers of the client. Adapters only get the result of `forwardedHeaders`. Absent when there are none. */
  readonly clientHeaders?: IncomingHttpHeaders;
  readonly caller: Caller;
  readonly channel: RoutedChannel;
  readonly key: string;
  readonly requestedModel: string;
  readonly bareModel: string;
  readonly upstream: UpstreamClient;
  readonly credentials: Credentials;
  readonly fetchMedia: FetchMedia;
  readonly settings: AttemptSettings;
  readonly passThrough: boolean;
  readonly families: FamilySettings;
  readonly keepsContent: boolean;
  /** Stores the response, if the client may continue it. */
  readonly store?: AnswerStore;
  /** Called with encrypted reasoning that the provider created. Absent when its origin is not stored. */
  readonly keepProof?: ((proof: string) => void) | undefined;
  /** Called with the ids of a response that its client got. Absent when they are not stored. */
  readonly gave?: ((ids: readonly string[]) => void) | undefined;
  /** Whether responses name the model as the client did, even if the channel maps it. */
  readonly showsRequestedModel: boolean;
  /** Number of output tokens at which a stream is ended. Absent when streams are not ended here. */
  readonly stopAt?: number | undefined;
  /** The race with other attempts of the call that run at the same time. */
  readonly race?: AttemptRace | undefined;
  /** Checks the output. Absent when no rule does. */
  readonly guard?: CallGuard | undefined;
  /** Absent when no telemetry is exported. */
  readonly span?: AttemptSpan | undefined;
  /**
   * Called when the client gets the first content of a stream, after which the call is not sent again. Absent for small bodies.
   * @param ownBytes length of the body that was written for the provider; 0 when it is the client's
   */
  readonly begins?: ((ownBytes: number) => void) | undefined;
  /** Called when the provider accepts the request, before its response is read. */
  readonly accepted?: (() => void) | undefined;
  /**
   * Decides how far a provider is read after the client has disconnected.
   * @returns a function that ends the reading; call it when the exchange has ended
   */
  onDisconnect(exchange: AbandonedExchange): () => void;
  /** 0 disables pings. */
  readonly pingSeconds: number;
  /** Unix milliseconds. */
  readonly now: number;
  /** Stores corrections. Absent when a refused request is not corrected. */
  readonly learned?: LearnedCorrections | undefined;
  /** Corrections that are applied to the request as it is written. Absent when there are none. */
  readonly corrections?: readonly Correction[] | undefined;
  /** At least one of these corrections has to change the request, which is not sent otherwise. */
  readonly newCorrections?: readonly Correction[] | undefined;
}

/** The result of an attempt that reached the client. */
export interface AttemptOutcome {
  readonly delivery: Delivery;
  readonly meter: TextMeter;
  readonly upstreamModel: string;
  readonly reasoningEffort?: string | undefined;
  /** Optional fields that the provider does not support. */
  readonly dropped?: readonly string[] | undefined;
  /** Time of the provider's first data, by `performance.now()`; null for non-streaming responses. */
  readonly firstByteAt: number | null;
  /** Whether the client got a stream. */
  readonly isStream: boolean;
}

export type Received = Pick<AttemptOutcome, 'delivery' | 'firstByteAt' | 'isStream'>;
