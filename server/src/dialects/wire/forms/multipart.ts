import { randomUUID } from 'node:crypto';
import type { FormPart } from '../../contract.js';
import { malformed } from '../../errors/relay-error.js';
import { foldedName } from '../../neutral/fields.js';
import { decisiveNames } from '../../priced-fields.js';

const maxParts = 1000;
const maxHeaderBytes = 16 * 1024;
const blankLine = Buffer.from('\r\n\r\n');

/**
 * Reads a multipart form (RFC 7578). Files are windows onto the body's bytes, not copies. A form that another parser could
 * read differently is refused.
 * @throws RelayError invalid_request
 */
export function readForm(body: Buffer, contentType: string): FormPart[] {
  const boundary = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;,]{1,200}))/i.exec(contentType);
  const name = boundary?.[1] ?? boundary?.[2];
  if (!/^multipart\/form-data\b/i.test(contentType) || name === undefined) {
    throw malformed('the body is not a multipart form');
  }
  const mark = Buffer.from(`--${name}`);
  const between = Buffer.from(`\r\n--${name}`);
  const parts: FormPart[] = [];
  let at = body.indexOf(mark);
  for (;;) {
    if (at < 0) throw malformed('the form is incomplete');
    at += mark.length;
    if (body.toString('latin1', at, at + 2) === '--') return checked(parts);
    const lineEnd = body.indexOf('\r\n', at);
    if (lineEnd < 0 || lineEnd - at > 200) throw malformed('the form cannot be read');
    const headEnd = body.indexOf(blankLine, lineEnd);
    if (headEnd < 0 || headEnd - lineEnd > maxHeaderBytes) throw malformed('the form cannot be read');
    const end = body.indexOf(between, headEnd + 2);
    if (end < 0) throw malformed('the form is incomplete');
    const head = body.toString('utf8', lineEnd + 2, headEnd);
    parts.push(readPart(head, body.subarray(Math.min(headEnd + blankLine.length, end), end)));
    if (parts.length > maxParts) throw malformed('the form has too many parts');
    at = end + 2;
  }
}

function readPart(head: string, bytes: Buffer): FormPart {
  const headers = new Map<string, string>();
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim().toLowerCase();
    if (headers.has(name)) throw malformed('a part of the form repeats a header');
    headers.set(name, line.slice(colon + 1).trim());
  }
  const disposition = headers.get('content-disposition') ?? '';
  const name = parameter(disposition, 'name');
  if (name === null) throw malformed('a part of the form has no name');
  // Some parsers decode encoded parts, and others do not.
  if (!plainEncodings.has((headers.get('content-transfer-encoding') ?? 'binary').toLowerCase())) {
    throw malformed('a part of the form is encoded');
  }
  const filename = fileNameOf(disposition);
  if (filename === null) return { name, value: bytes.toString('utf8') };
  const contentType = headers.get('content-type') ?? 'application/octet-stream';
  return { name, value: { filename, contentType, bytes } };
}

const plainEncodings = new Set(['7bit', '8bit', 'binary']);

/**
 * @throws RelayError invalid_request if the parameter occurs twice, or has the extended form that only some parsers
 * know
 */
function parameter(disposition: string, name: string): string | null {
  const named = namesIn(disposition, name);
  if (named.length > 1 || named.some((each) => each.includes('*'))) throw malformed('a part of the form has two names');
  return valueOf(disposition, name);
}

/**
 * Returns the name of a part's file; null for a part without one. .NET writes the name twice, the second time in the
 * extended form of RFC 5987. Both mean that the part is a file, and nothing depends on the name.
 */
function fileNameOf(disposition: string): string | null {
  const named = namesIn(disposition, 'filename');
  const extended = named.filter((each) => each.includes('*'));
  if (extended.length > 1 || named.length - extended.length > 1) throw malformed('a part of the form has two names');
  const plain = valueOf(disposition, 'filename');
  if (extended.length === 0) return plain;
  return decoded(/;\s*filename\*\s*=\s*"?utf-8'[^']*'([^\s;"]*)/i.exec(disposition)?.[1]) ?? plain ?? '';
}

/**
 * Returns the offsets at which a parameter is given; `*` marks its extended form. Quoted values may contain text that
 * looks like a parameter.
 */
const namesIn = (disposition: string, name: string): string[] =>
  disposition.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(new RegExp(`;\\s*${name}\\*?\\s*=`, 'gi')) ?? [];

function valueOf(disposition: string, name: string): string | null {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;]+))`, 'i').exec(disposition);
  const value = found?.[1] ?? found?.[2];
  return value === undefined ? null : value.replace(/\\(["\\])/g, '$1').replaceAll('%22', '"');
}

/** @returns null for what is not percent-encoded UTF-8 */
function decoded(text: string | undefined): string | null {
  if (!text) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Fields that decide the price or which provider serves the call, by their folded names. `file` is a file, and the
 * other fields are texts.
 */
const decisive: ReadonlyMap<string, string> = new Map(
  [...decisiveNames, 'resolution', 'duration', 'file', 'response_format'].map((name) => [foldedName(name), name]),
);
/** Fields that may occur several times in a form. */
const isList = (name: string): boolean => name === 'image' || name.endsWith('[]');

/**
 * Checks the parts. For a name that occurs twice, some parsers use the first part and some the last. Some compare names
 * without regard to case, and some read a text with a file name as a text.
 */
function checked(parts: FormPart[]): FormPart[] {
  const seen = new Set<string>();
  for (const { name, value } of parts) {
    // Some parsers read `n[0]` as `n`.
    const bare = foldedName(name.trim().replace(/\[.*$/s, ''));
    const known = decisive.get(bare);
    if (known !== undefined && known !== name) throw malformed(`${known} is spelled in another way`);
    if (known !== undefined && (typeof value === 'string') === (known === 'file')) {
      throw malformed(`${known} must be ${known === 'file' ? 'a file' : 'text'}`);
    }
    if (seen.has(foldedName(name)) && !isList(name)) throw malformed(`${bare} is named twice`);
    seen.add(foldedName(name));
  }
  return parts;
}

/** The text fields of a form by name. */
export function textFields(parts: readonly FormPart[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const { name, value } of parts) {
    if (typeof value === 'string' && !Object.hasOwn(fields, name)) {
      Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
    }
  }
  return fields;
}

/** Every text of a form with its name, part by part. A list has several of one name. Null stands for a file. */
export const textParts = (parts: readonly FormPart[]): Array<Record<string, string> | null> =>
  parts.map(({ name, value }) => (typeof value === 'string' ? { [name]: value } : null));

/** Returns the form with these texts, in the order of `textParts`. */
export const withTextParts = (parts: readonly FormPart[], texts: ReturnType<typeof textParts>): FormPart[] =>
  parts.map((part, at) => ({ ...part, value: texts[at]?.[part.name] ?? part.value }));

/** A form in its serialized shape. */
interface WrittenForm {
  /** `multipart/form-data` with the boundary. */
  readonly contentType: string;
  readonly body: Buffer;
}

/** Quotes a name. Characters that would end the quotation are escaped as browsers do. */
const quoted = (text: string): string =>
  `"${text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

/** Serializes a form, part by part in their order (RFC 7578). */
export function writeForm(parts: readonly FormPart[]): WrittenForm {
  const boundary = `form-${randomUUID()}`;
  const pieces: Buffer[] = [];
  for (const { name, value } of parts) {
    const file = typeof value === 'string' ? null : value;
    const head = [
      `--${boundary}`,
      `content-disposition: form-data; name=${quoted(name)}${file ? `; filename=${quoted(file.filename)}` : ''}`,
      ...(file?.contentType ? [`content-type: ${file.contentType.replace(/[\r\n]/g, '')}`] : []),
    ];
    pieces.push(Buffer.from(`${head.join('\r\n')}\r\n\r\n`), file ? file.bytes : Buffer.from(value as string));
    pieces.push(Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(pieces) };
}
