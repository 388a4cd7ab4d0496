import type { Usage } from '../usage.js';
import type { Fields } from './fields.js';
import type { FinishReason } from './finish-reason.js';
import type { Part } from './message.js';

export interface NeutralChoice {
  readonly index: number;
  /** In the order the model produced them; neighbouring texts joined. */
  readonly parts: readonly Part[];
  /** Null when the provider did not say. */
  readonly finish: FinishReason | null;
  /** The client's stop text that was met. */
  readonly stopSequence?: string;
  /** In the chat dialect's form. */
  readonly logprobs?: Fields;
}

/** A whole answer, whoever gave it. */
export interface NeutralAnswer {
  /** The provider's own id, '' when it gave none. */
  readonly id: string;
  /** The provider's own name of the model, '' when it gave none. */
  readonly model: string;
  /** Unix seconds. */
  readonly created?: number;
  readonly choices: readonly NeutralChoice[];
  /** Null when the provider reported none. */
  readonly usage: Usage | null;
}
