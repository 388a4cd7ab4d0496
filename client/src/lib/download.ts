import { sitePath } from './basePath.js';
import { refusalOf, type Failure } from './errors.js';
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

/** The export failed; code and message are the server's. */
export class ExportRefused extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

const noResponse: Failure = { code: 'NETWORK', message: '', field: null, status: null };

/**
 * Fetches a file with the user's session and saves it. Ends a session that the server no longer knows: the sign-in page,
 * which is shown then, says so.
 * @param path of the export, under `/api`
 * @param name with its extension, `.csv` or `.pdf`
 * @param parameters query parameters; empty ones are left out
 * @param confirm asks for the second factor, where the server wants it
 * @throws ExportRefused with the server's message, if there is one
 */
export async function downloadFile(
  path: string,
  parameters: Readonly<Record<string, string>>,
  name: string,
  confirm: () => Promise<boolean>,
): Promise<void> {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''));
  const user = session.get();
  const request = async (): Promise<Response> => {
    try {
      return await fetch(`${sitePath(path)}?${query.toString()}`, {
        credentials: 'same-origin',
        headers: user ? { 'Veloera-User': String(user.id) } : {},
      });
    } catch {
      throw new ExportRefused(noResponse);
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
    const refusal = refusalOf(await response.text().catch(() => ''));
    // REST refuses with 200, as older consoles expect: only a body without a message is described by its status.
    throw new ExportRefused({ ...refusal, status: refusal.message === '' ? response.status : null });
  }
  try {
    saveFile(await response.blob(), name);
  } catch {
    // The connection broke during the download: discard the partial file.
    throw new ExportRefused(noResponse);
  }
}

async function codeOf(response: Response): Promise<unknown> {
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { code?: unknown } | null;
  return body?.code;
}
