import { useState } from 'react';

/**
 * The moment that "until now" means for a question, and a function that asks it again now. Another question has a moment of
 * its own.
 * @param question an object that stays the same until another question is asked
 */
export function useMoment(question: unknown): readonly [now: Date, refresh: () => void] {
  const [asked, setAsked] = useState(() => ({ question, now: new Date() }));
  const current = asked.question === question ? asked : { question, now: new Date() };
  if (current !== asked) setAsked(current);
  const [refresh] = useState(() => () => setAsked((last) => ({ ...last, now: new Date() })));
  return [current.now, refresh];
}
