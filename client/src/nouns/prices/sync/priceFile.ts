import { sitePath } from '../../../lib/basePath.js';
import { noResponse, RefusedError, restFailure } from '../../../lib/errors.js';
import { session } from '../../../lib/session.js';

/**
 * Sends a list of prices as a file.
 * @param withCheckId adds the sources of this check
 * @returns the id of the check
 * @throws RefusedError
 */
export async function sendPriceFile(file: File, withCheckId: number | null): Promise<number> {
  const query = new URLSearchParams({
    name: file.name,
    ...(withCheckId === null ? {} : { with_check_id: String(withCheckId) }),
  });
  const user = session.get();
  const response = await fetch(`${sitePath('/api/price_check')}?${query.toString()}`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/octet-stream', ...(user ? { 'Veloera-User': String(user.id) } : {}) },
    body: file,
  }).catch(() => null);
  if (response === null) throw new RefusedError(noResponse);
  const body = await response.text().catch(() => '');
  const id = idOf(body);
  if (id === undefined) throw new RefusedError(restFailure(body, response.status));
  return id;
}

function idOf(body: string): number | undefined {
  try {
    return (JSON.parse(body) as { data?: { id?: number } | null } | null)?.data?.id;
  } catch {
    return undefined;
  }
}
