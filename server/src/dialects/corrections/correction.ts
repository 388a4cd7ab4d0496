/**
 * A change of a written request without which its provider refuses it. Paths lead through objects and, with `*`, through every
 * element of a list.
 */
export type Correction =
  | { readonly kind: 'omit'; readonly path: readonly string[] }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  /** A number that must not be larger. */
  | { readonly kind: 'atMost'; readonly path: readonly string[]; readonly limit: number }
  /** An effort that has to be one of these: the nearest is sent; of two, the higher one. */
  | { readonly kind: 'effort'; readonly path: readonly string[]; readonly efforts: readonly string[] }
  /** Values of the header `anthropic-beta` that the host does not know. */
  | { readonly kind: 'betas'; readonly values: readonly string[] }
  /** Thoughts of the history, whose proof the provider refuses. */
  | { readonly kind: 'thoughts' }
  /** Thoughts that each turn of the assistant has to have. */
  | { readonly kind: 'thoughtsWanted' }
  /** No user right after the result of a tool. */
  | { readonly kind: 'answeredResults' }
  /** No instructions after the beginning. */
  | { readonly kind: 'firstInstructions' }
  /** No blank texts. */
  | { readonly kind: 'blanks' }
  /** The provider takes calls with functions, or all calls, at Responses alone. */
  | { readonly kind: 'responses'; readonly calls: 'tools' | 'all' };

/** Corrections that one refusal asks for. */
export interface Remedy {
  readonly corrections: readonly Correction[];
  /** Every call of the model would be refused likewise. False: it is a matter of this call alone. */
  readonly isLasting: boolean;
}
