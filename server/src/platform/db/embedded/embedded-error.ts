/** Postgres cannot run embedded here. The message is one line that says what to do. */
export class EmbeddedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedError';
  }
}
