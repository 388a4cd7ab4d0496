interface Question {
  readonly operationName: string;
  readonly variables: unknown;
}

interface Asked extends Question {
  readonly answer: Promise<Response>;
}

/** What was asked before the console was there, and nobody has taken the answer of. */
let early: readonly Asked[] = [];
let momentOfEarly = new Date(0);
/** Milliseconds after which an answer is old: something kept its screen from taking it. */
const lifetime = 30_000;

/** @param moment it counts as asked at */
export function keepEarlyQuestions(asked: readonly Asked[], moment: Date): void {
  early = asked;
  momentOfEarly = moment;
}

const waiting = (): readonly Asked[] => (Date.now() - momentOfEarly.getTime() < lifetime ? early : []);

/** The moment of a screen's first questions: that of the early ones while their answers wait to be taken. */
export const momentOfQuestions = (): Date => (waiting().length > 0 ? momentOfEarly : new Date());

/** The `fetch` of GraphQL: takes the answer that is under way already where the question is the same, once. */
export async function fetchAnswer(address: RequestInfo | URL, options?: RequestInit): Promise<Response> {
  const body = waiting().length > 0 && typeof options?.body === 'string' ? options.body : null;
  const question = body && (JSON.parse(body) as Question);
  const asked = question && early.find((one) => isSame(one, question));
  if (!asked) return fetch(address, options);
  early = early.filter((one) => one !== asked);
  // Without an answer nothing is known of why; the second try says it.
  return asked.answer.catch(() => fetch(address, options));
}

const isSame = (one: Question, other: Question): boolean =>
  one.operationName === other.operationName && JSON.stringify(one.variables) === JSON.stringify(other.variables);
