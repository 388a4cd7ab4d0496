/** Matches the beginning of an image in the text of a response, as clients of chat and Messages get it. */
const drawnHead = /!\[[^\]\n]{0,64}\]\(data:(image\/[a-z0-9.+-]{1,32});base64,/gi;
/** Only the beginning is checked, because an image may have megabytes. */
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const checked = 256;

interface DrawnImage {
  readonly mediaType: string;
  readonly data: string;
}

/** Returns the texts and images of a text that clients send back unchanged; null if it contains no image. */
export function drawnPieces(text: string): Array<string | DrawnImage> | null {
  if (!text.includes('](data:image/')) return null;
  const pieces: Array<string | DrawnImage> = [];
  let from = 0;
  drawnHead.lastIndex = 0;
  for (let head = drawnHead.exec(text); head; head = drawnHead.exec(text)) {
    const begin = drawnHead.lastIndex;
    const end = text.indexOf(')', begin);
    if (end < 0) break;
    if (!base64.test(text.slice(begin, Math.min(end, begin + checked)))) continue;
    if (head.index > from) pieces.push(text.slice(from, head.index));
    pieces.push({ mediaType: (head[1] ?? '').toLowerCase(), data: text.slice(begin, end) });
    drawnHead.lastIndex = from = end + 1;
  }
  if (pieces.length === 0) return null;
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}
