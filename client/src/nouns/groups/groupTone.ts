import type { Tone } from '../../components/Tone.js';

const amber = new Set(['vip', 'pro']);
const red = new Set(['svip', 'premium']);

/** Colour of a group's name. */
export function groupTone(group: string): Tone {
  if (amber.has(group)) return 'amber';
  return red.has(group) ? 'red' : 'outline';
}

/** Colour of a group's price multiplier. */
export function ratioTone(ratio: number): Tone {
  if (ratio > 5) return 'red';
  if (ratio > 3) return 'orange';
  return ratio > 1 ? 'blue' : 'green';
}
