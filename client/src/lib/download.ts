import { actingHeader } from './acting.js';
import { sitePath } from './basePath.js';
import { noResponse, RefusedError, restFailure } from './errors.js';
import { session } from './session.js';

/** Saves a file as a download. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/**
 * Fetches a file with the user's session and saves it. Ends a session that the server no longer knows: the sign-in page,
 * which is shown then, says so.
 * @param path of the export, under `/api`
 * @param name with its extension, `.csv` or `.pdf`
 * @param parameters query parameters; empty ones are left out
 * @param confirm asks for the second factor, where the server wants it
 * @param organisationId the organisation for which the user acts; absent: none
 * @throws RefusedError
 */
export async function downloadFile(
  path: string,
  parameters: Readonly<Record<string, string>>,
  name: string,
  confirm: () => Promise<boolean>,
  organisationId?: number,
): Promise<void> {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''));
  const user = session.get();
  const request = async (): Promise<Response> => {
    try {
      return await fetch(`${sitePath(path)}?${query.toString()}`, {
        credentials: 'same-origin',
        headers: { ...(user ? { 'Veloera-User': String(user.id) } : {}), ...actingHeader(organisationId) },
      });
    } catch {
      throw new RefusedError(noResponse);
    }
  };
  let response = await request();
  if (response.status === 403 && (await codeOf(response)) === 'CONFIRMATION_NEEDED' && (await confirm())) {
    response = await request();
  }
  if (response.status === 401) {
    session.end('expired');
    return;
  }
  const isFile = /^(text\/csv|application\/pdf)/.test(response.headers.get('content-type') ?? '');
  if (!response.ok || !isFile) {
    throw new RefusedError(restFailure(await response.text().catch(() => ''), response.status));
  }
  try {
    saveFile(await response.blob(), name);
  } catch {
    // The connection broke during the download: discard the partial file.
    throw new RefusedError(noResponse);
  }
}

async function codeOf(response: Response): Promise<unknown> {
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { code?: unknown } | null;
  return body?.code;
}
