import { types } from 'node:util';

/** System errors and those of undici by `code`, in plain words. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ETIMEDOUT: 'no connection was made in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection was made in time',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the host',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is of an unknown issuer',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
};

/**
 * Returns the message of an error, followed by the reason of a failed connection, for admins.
 * @returns such as `Request to the upstream address failed: the connection was refused`; addresses are not masked
 */
export function withConnectionCause({ message, cause }: Error): string {
  if (!types.isNativeError(cause)) return message;
  return `${message}: ${reasons[codeOf(cause)] ?? cause.message}`;
}

/** A host with several addresses fails with one error per address, inside an error whose message is empty. */
function codeOf(cause: Error): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== undefined) return code;
  const first: unknown = (cause as Partial<AggregateError>).errors?.[0];
  return types.isNativeError(first) ? codeOf(first) : '';
}
