/**
 * A change without which a provider refuses a written request. Paths lead through objects and, with `*`, through every
 * element of a list.
 */
export type Correction =
  | { readonly kind: 'omit'; readonly path: readonly string[] }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  /** Replaces one value. */
  | { readonly kind: 'replace'; readonly path: readonly string[]; readonly from: string; readonly to: string }
  /** Limits a number. */
  | { readonly kind: 'atMost'; readonly path: readonly string[]; readonly limit: number }
  /** Replaces an effort by the nearest of these; of two equally near ones, by the higher one. */
  | { readonly kind: 'effort'; readonly path: readonly string[]; readonly efforts: readonly string[] }
  /** Values of the header `anthropic-beta` that the host does not know. */
  | { readonly kind: 'betas'; readonly values: readonly string[] }
  /** Removes thoughts of the history whose proof the provider refuses. */
  | { readonly kind: 'thoughts' }
  /** Adds thoughts to every assistant turn. */
  | { readonly kind: 'thoughtsWanted' }
  /** Inserts an assistant message between a tool result and the user. */
  | { readonly kind: 'answeredResults' }
  /** Adds a result for each call that has none. */
  | { readonly kind: 'results' }
  /** Replaces ids of calls that have other characters than Anthropic accepts. */
  | { readonly kind: 'callIds' }
  /** Allows instructions only at the beginning. */
  | { readonly kind: 'firstInstructions' }
  /** Removes blank texts. */
  | { readonly kind: 'blanks' }
  /** Sends calls with functions, or all calls, to Responses, because the provider accepts them only there. */
  | { readonly kind: 'responses'; readonly calls: 'tools' | 'all' };

/** Corrections that one refusal asks for. */
export interface Remedy {
  readonly corrections: readonly Correction[];
  /** Whether every call of the model would be refused for the same reason. False: only this call is affected. */
  readonly isLasting: boolean;
}
