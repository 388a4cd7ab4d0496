import { session } from '../../lib/session.js';
import { askConfirmation } from '../../lib/confirmation.js';
import { noResponse, RefusedError, restFailure, type Failure } from '../../lib/errors.js';

/**
 * Uploads a database of another program. The second factor is asked for where the server wants it.
 * @param onProgress a share from 0 to 1
 * @throws RefusedError
 */
export async function uploadDatabase(file: File, onProgress: (share: number) => void): Promise<void> {
  let failure = await send(file, onProgress);
  if (failure?.code === 'CONFIRMATION_NEEDED' && (await askConfirmation())) failure = await send(file, onProgress);
  if (failure) throw new RefusedError(failure);
}

/** `fetch` reports no progress of uploads. */
function send(file: File, onProgress: (share: number) => void): Promise<Failure | null> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/api/import/file?name=${encodeURIComponent(file.name)}`);
    const user = session.get();
    if (user) request.setRequestHeader('Veloera-User', String(user.id));
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onloadend = () => {
      if (request.status === 0) resolve(noResponse);
      else resolve(isDone(request.responseText) ? null : restFailure(request.responseText, request.status));
    };
    request.send(file);
  });
}

function isDone(body: string): boolean {
  try {
    return (JSON.parse(body) as { success?: unknown } | null)?.success === true;
  } catch {
    return false;
  }
}
