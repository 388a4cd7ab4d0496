import {
  asFields,
  asFieldsList,
  asList,
  asText,
  someNumber,
  someText,
  type Fields,
  type Json,
} from '../../neutral/fields.js';

/**
 * Web sources of a response, in the shape of the chat dialect
 * (docs/reference/providers/gemini-and-vertex.md#gemini-responses).
 */
export function annotationsOf(candidate: Fields): Fields[] {
  const grounding = asFields(candidate['groundingMetadata']);
  if (!grounding) return [];
  const pages = asFieldsList(grounding['groundingChunks']).map((chunk) => asFields(chunk['web']));
  const supports = asFieldsList(grounding['groundingSupports']);
  const cited = supports.flatMap((support) => {
    const segment = asFields(support['segment']) ?? {};
    const indices = Array.isArray(support['groundingChunkIndices'])
      ? (support['groundingChunkIndices'] as unknown[])
      : [];
    return indices.flatMap((index) => {
      const page = typeof index === 'number' ? pages[index] : null;
      return page ? [citation(page, someNumber(segment['startIndex']) ?? 0, someNumber(segment['endIndex']) ?? 0)] : [];
    });
  });
  return cited.length > 0
    ? cited
    : pages.flatMap((page) => (page && someText(page['uri']) ? [citation(page, 0, 0)] : []));
}

/** The queries with which Google searched the web. */
export const queriesOf = (candidate: Fields): string[] =>
  asList(asFields(candidate['groundingMetadata'])?.['webSearchQueries']).flatMap((query) => someText(query) ?? []);

const citation = (page: Fields, start: number, end: number): Json => ({
  type: 'url_citation',
  url_citation: { url: asText(page['uri']), title: asText(page['title']), start_index: start, end_index: end },
});

/**
 * Log probabilities of the tokens, in the shape of the chat dialect.
 * @returns null when the provider did not report them
 */
export function logprobsOf(candidate: Fields): Fields | null {
  const result = asFields(candidate['logprobsResult']);
  const chosen = asFieldsList(result?.['chosenCandidates']);
  if (chosen.length === 0) return null;
  const top = asFieldsList(result?.['topCandidates']).map((each) => asFieldsList(each['candidates']).map(tokenOf));
  return { content: chosen.map((each, index) => ({ ...tokenOf(each), top_logprobs: top[index] ?? [] })) };
}

const tokenOf = (candidate: Fields): Json => {
  const token = asText(candidate['token']);
  return { token, logprob: someNumber(candidate['logProbability']) ?? 0, bytes: [...Buffer.from(token)] };
};

/** The reverse of `logprobsOf`. */
export function toLogprobs(logprobs: Fields): Json {
  const tokens = asFieldsList(logprobs['content']);
  if (tokens.length === 0) return {};
  const top = tokens.map((each) => asFieldsList(each['top_logprobs']).map(candidateOf));
  return {
    logprobsResult: {
      chosenCandidates: tokens.map(candidateOf),
      ...(top.some((each) => each.length > 0) ? { topCandidates: top.map((candidates) => ({ candidates })) } : {}),
    },
  };
}

const candidateOf = ({ token, logprob }: Fields): Json => ({ token, logProbability: logprob });
