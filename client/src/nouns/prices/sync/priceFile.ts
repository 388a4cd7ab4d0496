import { sitePath } from '../../../lib/basePath.js';
import { session } from '../../../lib/session.js';

/** The file was refused; the message is the server's, empty when there was no response. */
export class PriceFileRefused extends Error {}

/**
 * Sends a list of prices as a file.
 * @param withCheckId adds the sources of this check
 * @returns the id of the check
 * @throws PriceFileRefused
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
  const answer = (await response?.json().catch(() => null)) as {
    success?: boolean;
    message?: string;
    data?: { id?: number };
  } | null;
  const id = answer?.data?.id;
  if (!answer?.success || id === undefined) throw new PriceFileRefused(answer?.message ?? '');
  return id;
}
