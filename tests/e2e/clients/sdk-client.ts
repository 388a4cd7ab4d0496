import type { Reply } from '../../support/upstream/upstream.js';

/** A provider of the table: the name of its model in these tests, and its channel. */
export interface Family {
  readonly name: string;
  readonly type: number;
  readonly model: string;
  /** The channel's `other`: account or API version. */
  readonly other?: string;
}

/** The gateway that a package calls, and the model. */
export interface Place {
  /** The address of the gateway, without a path. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

export interface Told {
  readonly text: string;
  readonly prompt: number | undefined;
  readonly completion: number | undefined;
}

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

/** Result of each feature, in the same form for every package. */
export interface Results {
  readonly chat: Told;
  /** `pieces`: the chunks in the order of arrival. */
  readonly stream: Told & { readonly pieces: number };
  /** Calls a tool, sends its result `sunny`, and receives the response. */
  readonly tools: { readonly calls: readonly ToolCall[]; readonly answer: string };
  readonly streamedTools: { readonly calls: readonly ToolCall[]; readonly answer: string };
  /** Sends `picture`. */
  readonly vision: string;
  /** Requests an object by `schema`. */
  readonly json: unknown;
  readonly responses: Told & {
    readonly streamed: string;
    readonly calls: readonly ToolCall[];
    readonly answer: string;
  };
  readonly embeddings: ReadonlyArray<readonly number[]>;
  /** The images as base64. */
  readonly images: readonly string[];
  readonly speech: Uint8Array;
  readonly transcription: string;
}

/** A feature that a package lacks. `proof` fails as soon as the package has it, which keeps the table correct. */
export interface Absent {
  readonly absent: string;
  readonly proof: () => boolean;
}

/** A feature that a provider family lacks for this package. The gateway rejects it and names `field`. */
export interface Refused {
  readonly at: readonly string[];
  readonly field: string;
}

export type Cell<T> = ((place: Place) => Promise<T>) | Absent;

/** An official package, with the functions that the table needs. */
export interface SdkClient {
  readonly name: string;
  readonly features: { readonly [Feature in keyof Results]: Cell<Results[Feature]> };
  readonly refused?: Partial<Readonly<Record<keyof Results, Refused>>>;
  /** The families with another form of a feature in this package, and their responses. */
  readonly families?: Partial<Readonly<Record<keyof Results, readonly Family[]>>>;
  readonly scripts?: Partial<Readonly<Record<keyof Results, readonly [Reply, ...Reply[]]>>>;
  /** A call that fails. */
  fail(place: Place): Promise<unknown>;
  /** Whether an error of this status has the class the package promises for it. */
  isTyped(error: unknown, status: number): boolean;
  /** Begins a stream and disconnects after its first piece. */
  leave(place: Place): Promise<void>;
}

export const isAbsent = (cell: Cell<unknown>): cell is Absent => typeof cell !== 'function';

export const question = 'How is the weather?';
/** A PNG of one dot, base64. */
export const picture = `iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==`;
export const weather = { name: 'weather', description: 'Tells the weather of a city' };
export const schema = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false as const,
};
/** Arguments the model sends, in tool calls and in objects. */
export const paris = { city: 'Paris' };
export const toolResult = 'sunny';
export const texts = ['a', 'b'];
