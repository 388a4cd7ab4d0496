import type { Usage } from '../../shared/usage.js';
import type { Fields } from './fields.js';
import type { FinishReason } from './finish-reason.js';
import type { Part } from './message.js';

/** One choice of a response. */
export interface NeutralChoice {
  readonly index: number;
  /** In the order the model produced them; adjacent texts are joined. */
  readonly parts: readonly Part[];
  /** Null when the provider did not report it. */
  readonly finish: FinishReason | null;
  /** The client's stop text that ended the response. */
  readonly stopSequence?: string;
  /** The queries with which the provider searched the web. */
  readonly searches?: readonly string[];
  /** Log probabilities in the shape of the chat dialect. */
  readonly logprobs?: Fields;
}

/** A complete response of any provider. */
export interface NeutralAnswer {
  /** The provider's id, '' when it gave none. */
  readonly id: string;
  /** The model name that the provider gave, '' when it gave none. */
  readonly model: string;
  /** Unix seconds. */
  readonly created?: number;
  readonly choices: readonly NeutralChoice[];
  /** Null when the provider reported none. */
  readonly usage: Usage | null;
}
