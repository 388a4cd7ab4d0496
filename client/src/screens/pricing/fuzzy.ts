/** Whether the text contains the query's characters in order, with gaps: `g4m` matches `gpt-4o-mini`. */
export function isFuzzyMatch(text: string, query: string): boolean {
  const wanted = query.toLowerCase().replace(/\s+/g, '');
  const given = text.toLowerCase();
  let at = 0;
  for (const character of wanted) {
    at = given.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
