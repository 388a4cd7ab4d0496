/**
 * The provider refused the request or failed. `status`, `code`, `type` and `message` are the provider's, before any
 * mapping.
 */
export class UpstreamError extends Error {
  constructor(
    readonly status: number,
    readonly detail: {
      readonly message: string;
      readonly type?: string;
      readonly param?: string | null;
      readonly code?: string | number | null;
      readonly retryAfter?: string;
      /** Rate limits and the request id of the provider, for the client. */
      readonly headers?: Readonly<Record<string, string>>;
    },
  ) {
    super(detail.message);
    this.name = 'UpstreamError';
  }
}

/**
 * Returns the words of a provider without those that a host puts before them: Bedrock (bedrock-access-gateway#191,
 * October 2025), and OpenRouter (kilocode#5871, February 2026).
 */
export const withoutRelay = (message: string): string =>
  message.replace(/^(?:The model returned the following errors: |Upstream error from [\w .-]{1,60}: )/, '');
