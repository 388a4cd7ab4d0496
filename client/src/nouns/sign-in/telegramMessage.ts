export const telegramOrigin = 'https://oauth.telegram.org';

/** The fields that Telegram signs; others are dropped. */
const fields = ['id', 'first_name', 'last_name', 'username', 'photo_url', 'auth_date', 'hash', 'lang'];

/**
 * The signed identity from a message of Telegram's frame.
 * @returns null for other messages, and for an identity sent before the user pressed the button
 */
export function fromTelegramMessage(data: unknown): URLSearchParams | null {
  if (typeof data !== 'string') return null;
  let message: { event?: unknown; init?: unknown; auth_data?: unknown } | null;
  try {
    message = JSON.parse(data) as typeof message;
  } catch {
    return null;
  }
  if (message?.event !== 'auth_user' || message.init || typeof message.auth_data !== 'object') return null;
  const given = message.auth_data as Record<string, unknown> | null;
  const person = new URLSearchParams();
  for (const field of fields) {
    const value = given?.[field];
    if (typeof value === 'string' || typeof value === 'number') person.set(field, String(value));
  }
  return person.has('id') && person.has('hash') ? person : null;
}
