import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

/** Browsers offer passkeys on https and localhost, never for IP addresses. */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && isSecureContext && !/^[\d.]+$|:/.test(location.hostname);

/** The user closed the browser's dialog, or it timed out. */
export const isCancelled = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError');

/** @param options as the server sent them @returns the response for the server */
export async function showPasskey(options: unknown): Promise<unknown> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON });
}

/** @param options as the server sent them @returns the response for the server */
export async function createPasskey(options: unknown): Promise<unknown> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  return startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON });
}
