/** A failure in the shape of Suno proxies: `{"code","message","data":null}`. */
export class SunoError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const sunoRequestError = (code: string, message = code): SunoError => new SunoError(400, code, message);
