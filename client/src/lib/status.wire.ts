import { defaultStatus, type ChatLink, type OfferedProvider, type SiteStatus } from './site-status.js';

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The shape of `/api/status`, which browser extensions read from local storage under `status`. */
export const toStoredStatus = ({ chatLinks, ...fields }: SiteStatus): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [toSnakeCase(name), value])),
  chats: toStoredChats(chatLinks ?? []),
});

/** A list of objects with one entry each: `[{ "name": "link" }]`. */
export const toStoredChats = (chats: readonly ChatLink[]): Record<string, string>[] =>
  chats.map(({ name, link }) => ({ [name]: link }));

/** @returns null when `stored` is not such a list */
function fromStoredChats(stored: unknown): ChatLink[] | null {
  if (!Array.isArray(stored)) return null;
  const links = stored.map((entry: unknown): ChatLink | null => {
    const pairs = typeof entry === 'object' && entry !== null ? Object.entries(entry) : [];
    const [name, link] = pairs[0] ?? [];
    return pairs.length === 1 && name !== undefined && typeof link === 'string' ? { name, link } : null;
  });
  return links.every((link) => link !== null) ? links : null;
}

const isProvider = (stored: unknown): stored is OfferedProvider => {
  const { slug, name, icon } = Object(stored) as Record<string, unknown>;
  return [slug, name, icon].every((value) => typeof value === 'string');
};

/**
 * Reads the body of `/api/status`, from the page or from local storage. A missing field, or one of another type, gets its
 * default.
 * @returns null when `stored` is not an object
 */
export function fromStoredStatus(stored: unknown): SiteStatus | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const from = stored as Record<string, unknown>;
  const fields = Object.entries(defaultStatus).map(([name, fallback]) => {
    const value = from[toSnakeCase(name)];
    return [name, typeof value === typeof fallback ? value : fallback] as const;
  });
  const status = Object.fromEntries(fields) as unknown as typeof defaultStatus;
  return {
    ...status,
    // Amounts are divided by this value, so it must not be 0.
    quotaPerUnit: status.quotaPerUnit || defaultStatus.quotaPerUnit,
    chatLinks: fromStoredChats(from.chats ?? []),
    signInProviders: Array.isArray(from.sign_in_providers) ? from.sign_in_providers.filter(isProvider) : [],
  };
}
