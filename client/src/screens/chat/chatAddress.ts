/** Whether the link sends one of the user's keys to the chat app. */
export const needsKey = (link: string): boolean => link.includes('{key}');

/**
 * A chat link with this site's address and a key in it.
 * @returns null unless the result is a web URL: scripts and files never open
 */
export function chatAddress(link: string, fill: { readonly address: string; readonly key: string }): string | null {
  const address = link.replaceAll('{address}', encodeURIComponent(fill.address)).replaceAll('{key}', fill.key);
  try {
    const { protocol } = new URL(address);
    return protocol === 'https:' || protocol === 'http:' ? address : null;
  } catch {
    return null;
  }
}
