import { session } from '../../lib/session.js';
import { askConfirmation } from '../../lib/confirmation.js';

/** The server refused the file; the message is the server's, empty without a response. */
export class UploadRefused extends Error {}

/**
 * Uploads a database of another program. The second factor is asked for where the server wants it.
 * @param onProgress a share from 0 to 1
 * @throws UploadRefused
 */
export async function uploadDatabase(file: File, onProgress: (share: number) => void): Promise<void> {
  let answer = await send(file, onProgress);
  if (answer.code === 'CONFIRMATION_NEEDED' && (await askConfirmation())) answer = await send(file, onProgress);
  if (!answer.success) throw new UploadRefused(answer.message);
}

interface Answer {
  readonly success: boolean;
  readonly code: string;
  readonly message: string;
}

/** `fetch` reports no progress of uploads. */
function send(file: File, onProgress: (share: number) => void): Promise<Answer> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/api/import/file?name=${encodeURIComponent(file.name)}`);
    const user = session.get();
    if (user) request.setRequestHeader('Veloera-User', String(user.id));
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onloadend = () => resolve(answerOf(request.responseText));
    request.send(file);
  });
}

function answerOf(text: string): Answer {
  try {
    const { success, code, message } = JSON.parse(text) as Partial<Answer>;
    return { success: success === true, code: code ?? '', message: message ?? '' };
  } catch {
    return { success: false, code: '', message: '' };
  }
}
