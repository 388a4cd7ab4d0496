import { keyPatterns } from './key-patterns.js';

/** Kinds of personal data and secrets that texts are searched for. */
export const personalDataKinds = ['email', 'phone', 'card', 'id_number', 'key'] as const;
export type PersonalDataKind = (typeof personalDataKinds)[number];

/** A part of a text, from `start` up to `end`. */
export interface FoundPart {
  readonly what: string;
  readonly start: number;
  readonly end: number;
}

interface Finder {
  readonly patterns: readonly RegExp[];
  /** Decides on a candidate. Every candidate counts when it is absent. */
  readonly accepts?: (candidate: string) => boolean;
}

/** Every pattern has bounded repetitions and begins at a boundary, so that no text needs more than linear time. */
const finders: Readonly<Record<PersonalDataKind, Finder>> = {
  key: { patterns: keyPatterns },
  email: {
    patterns: [
      /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.[A-Za-z]{2,24}(?![A-Za-z0-9-])/g,
    ],
  },
  id_number: {
    patterns: [
      /(?<!\d)\d{17}[\dXx](?![\dA-Za-z])/g,
      /(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\d-])/g,
    ],
    accepts: (candidate) => candidate.includes('-') || isResidentId(candidate),
  },
  card: {
    patterns: [/(?<![\d.])[2-6](?:[ -]?\d){12,18}(?!\d)/g],
    accepts: (candidate) => passesLuhn(candidate.replace(/\D/g, '')),
  },
  phone: {
    patterns: [
      /(?<![\d+])\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,5}(?!\d)/g,
      /(?<!\d)1[3-9]\d{9}(?!\d)/g,
      /(?<![\d(])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)/g,
    ],
    accepts: (candidate) => {
      const digits = candidate.replace(/\D/g, '').length;
      return digits >= 8 && digits <= 15;
    },
  },
};

/** The order of kinds. An earlier kind wins if two overlap. */
const order: readonly PersonalDataKind[] = ['key', 'email', 'id_number', 'card', 'phone'];

const ofKinds = (kinds: readonly PersonalDataKind[]): PersonalDataKind[] =>
  order.filter((kind) => kinds.includes(kind));

/** Returns the patterns of these kinds, in the order in which `personalDataOf` takes their candidates. */
export const personalDataPatterns = (kinds: readonly PersonalDataKind[]): RegExp[] =>
  ofKinds(kinds).flatMap((kind) => finders[kind].patterns);

/** A position at which a pattern matches. */
interface Candidate {
  /** The index of the pattern among `personalDataPatterns`. */
  readonly pattern: number;
  readonly start: number;
  readonly end: number;
}

/**
 * @param candidates in the order of the text for each pattern
 * @returns the parts in the order of the text, without overlaps
 */
export function personalDataOf(
  text: string,
  kinds: readonly PersonalDataKind[],
  candidates: readonly Candidate[],
): FoundPart[] {
  let found: FoundPart[] = [];
  let pattern = 0;
  for (const what of ofKinds(kinds)) {
    const { patterns, accepts } = finders[what];
    for (const last = pattern + patterns.length; pattern < last; pattern++) {
      const parts: FoundPart[] = candidates
        .filter((candidate) => candidate.pattern === pattern)
        .filter(({ start, end }) => !accepts || accepts(text.slice(start, end)))
        .map(({ start, end }) => ({ what, start, end }));
      if (parts.length > 0) found = [...found, ...beside(parts, found)].sort((one, other) => one.start - other.start);
    }
  }
  return found;
}

/** Returns the parts that overlap none of the others. Both are in the order of the text. */
function beside(parts: readonly FoundPart[], others: readonly FoundPart[]): FoundPart[] {
  let at = 0;
  return parts.filter(({ start, end }) => {
    while (at < others.length && (others[at]?.end ?? 0) <= start) at++;
    const next = others[at];
    return next === undefined || next.start >= end;
  });
}

/**
 * Returns the text with `[kind]` in place of each part. Of overlapping parts, the first one's kind is used.
 * @param parts in the order of the text
 */
export function maskParts(text: string, parts: readonly FoundPart[]): string {
  let masked = '';
  let at = 0;
  for (const { what, start, end } of parts) {
    if (end <= at) continue;
    if (start >= at) masked += `${text.slice(at, start)}[${what}]`;
    at = end;
  }
  return masked + text.slice(at);
}

/** Whether the check digit of a payment card is correct. */
function passesLuhn(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = digit * 2;
    sum += at % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const residentWeights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

/** Whether the check digit of a Chinese resident id (GB 11643) is correct. */
function isResidentId(text: string): boolean {
  const sum = residentWeights.reduce((total, weight, at) => total + weight * Number(text[at]), 0);
  return text[17]?.toUpperCase() === '10X98765432'[sum % 11];
}
