import { type CodeInput, formFields, recordingName, speechName, responseUse } from './shared.js';

/** Text in single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function curlCode(input: CodeInput): string {
  const { baseUrl, path, key, body, file } = input;
  const head = (at: string): string[] => [
    `curl -sS ${quoted(baseUrl + at)}`,
    `-H ${quoted(`Authorization: Bearer ${key}`)}`,
  ];
  const join = (lines: readonly string[]): string => lines.join(' \\\n  ');
  const use = responseUse(input);
  if (file !== undefined) {
    const fields = formFields(input).map(([name, value]) => `--form-string ${quoted(`${name}=${value}`)}`);
    return join([...head(path), ...fields, `-F ${quoted(`${file}=@${recordingName}`)}`]);
  }
  const json = [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body, null, 2))}`];
  if (use === 'stream') return join([`curl -sSN ${quoted(baseUrl + path)}`, ...head(path).slice(1), ...json]);
  if (use === 'speech') return join([...head(path), ...json, `-o ${speechName(input)}`]);
  if (use !== 'video') return join([...head(path), ...json]);
  const again = join([`curl -sS ${quoted(`${baseUrl}/videos/`)}"$id"`, ...head(path).slice(1)]);
  const content = join([
    `curl -sS ${quoted(`${baseUrl}/videos/`)}"$id"/content`,
    ...head(path).slice(1),
    '-o video.mp4',
  ]);
  return `id=$(${join([...head(path), ...json])} \\
  | sed -n 's/.*"id": *"\\([^"]*\\)".*/\\1/p')

# Ask until the video is complete.
until ${again} \\
  | grep -E '"status": *"(completed|failed)"'; do sleep 5; done

${content}`;
}
