/**
 * The model behind the scripted providers. It does what the prompt's last mark says, and knows nothing but what a request
 * holds: a text that only a file has can reach its answer only through a call of a tool and its result.
 */

export const marks = ['READ', 'AGAIN', 'LOOK', 'SLOW'] as const;
export type Mark = (typeof marks)[number];

export const secret = 'SECRET-4f1c9a';
export const notes = 'notes.txt';
export const picture = 'picture.png';
/** A PNG of one red dot. */
export const pictureBytes =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** The same dot as Qwen Code 0.24 sends it: as a JPEG. */
const picturesJpeg = [
  '/9j/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/2wBDAQMDAwQDBAgEBAgQCwkL',
  'EBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBD/wAARCAABAAEDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAA',
  'B//EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAVAQEBAAAAAAAAAAAAAAAAAAAGCP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AGUHVQ//2Q==',
].join('');
const hasPicture = (conversation: string): boolean =>
  [pictureBytes.slice(0, 60), picturesJpeg].some((bytes) => conversation.includes(bytes));

export type Turn =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  /** Text without an end, piece by piece until the caller leaves. */
  | { readonly kind: 'endless' };

/** How agents name the file that a tool is to read. */
const readers: Readonly<Record<string, (path: string, folder: string) => Record<string, unknown>>> = {
  Read: (path, folder) => ({ file_path: `${folder}/${path}` }),
  // Gemini CLI and Qwen Code name it differently.
  read_file: (path, folder) => ({ file_path: `${folder}/${path}`, absolute_path: `${folder}/${path}` }),
  // Pi and OpenCode, and Copilot CLI.
  read: (path, folder) => ({ path: `${folder}/${path}`, filePath: `${folder}/${path}` }),
  view: (path, folder) => ({ path: `${folder}/${path}` }),
  // Cline.
  read_files: (path, folder) => ({ files: [{ path: `${folder}/${path}` }] }),
  shell: (path) => ({ command: ['cat', path] }),
  shell_command: (path) => ({ command: `cat ${path}` }),
  exec_command: (path) => ({ cmd: `cat ${path}` }),
};

/** The response of a model without functions to a prompt that needs one. */
export const refusal = 'I have no tools.';

/**
 * @param conversation messages of a request as text, without instructions
 * @param tools names of the functions that are offered
 * @param onlyTalks the model cannot call functions, and a request that offers some was not served as it should be
 */
export function respond(conversation: string, tools: readonly string[], folder: string, onlyTalks = false): Turn {
  const { mark, rest } = lastMark(conversation);
  if (onlyTalks) return talk(conversation, mark);
  const reader = Object.keys(readers).find((name) => tools.includes(name));
  // Agents also ask for titles and summaries, without tools.
  if (mark === null || reader === undefined) return { kind: 'text', text: 'ok' };
  // Mistral Vibe names the file differently, and says so in its error.
  const input = (path: string): Record<string, unknown> | undefined =>
    (rest.includes('Allowed fields: path') ? readers['view'] : readers[reader])?.(path, folder);
  const call = (path: string): Turn => ({ kind: 'call', name: reader, input: input(path) ?? {} });
  switch (mark) {
    case 'READ':
      return rest.includes(secret) ? { kind: 'text', text: `The file says ${secret}.` } : call(notes);
    case 'AGAIN':
      return { kind: 'text', text: conversation.includes(secret) ? `Once more: ${secret}.` : 'I forgot it.' };
    case 'LOOK':
      if (hasPicture(conversation)) return { kind: 'text', text: 'I see a red dot.' };
      return reader === 'Read' && !rest.includes('tool_result') && !rest.includes('"role":"tool"')
        ? call(picture)
        : { kind: 'text', text: 'I see nothing.' };
    case 'SLOW':
      return { kind: 'endless' };
  }
}

function talk(conversation: string, mark: Mark | null): Turn {
  switch (mark) {
    case 'READ':
      return { kind: 'text', text: refusal };
    case 'AGAIN':
      return { kind: 'text', text: conversation.includes(refusal) ? `Once more: ${refusal}` : 'I forgot it.' };
    case 'LOOK':
      return {
        kind: 'text',
        text: hasPicture(conversation) ? 'I see a red dot.' : 'I see nothing.',
      };
    case 'SLOW':
      return { kind: 'endless' };
    case null:
      return { kind: 'text', text: 'ok' };
  }
}

function lastMark(conversation: string): { mark: Mark | null; rest: string } {
  let found: { mark: Mark; at: number } | null = null;
  for (const mark of marks) {
    const at = conversation.lastIndexOf(`<<${mark}>>`);
    if (at > (found?.at ?? -1)) found = { mark, at };
  }
  return { mark: found?.mark ?? null, rest: found ? conversation.slice(found.at) : conversation };
}
