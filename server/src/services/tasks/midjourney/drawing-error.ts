const busy = 'The load of this group is saturated, please try again later';

/** A failure with the codes of Midjourney proxies: 3 no account, 4 invalid request, 5 anything else, 30 too busy. */
export class DrawingError extends Error {
  constructor(
    readonly code: number,
    readonly description: string,
    readonly result = '',
    options?: ErrorOptions,
  ) {
    super(description, options);
  }
}

/** The error for an invalid request (code 4). */
export const requestError = (description: string): DrawingError => new DrawingError(4, description);

/** Returns `{"description","type":"upstream_error","code"}`, with status 429 for code 30 and 400 for all others. */
export function toWire(error: DrawingError): { readonly status: number; readonly body: Record<string, unknown> } {
  const isBusy = error.code === 30;
  const description = isBusy ? busy : `${error.description} ${error.result}`.trim();
  return { status: isBusy ? 429 : 400, body: { description, type: 'upstream_error', code: error.code } };
}
