import type { UsableGroup } from './group.service.js';

export const toWire = (groups: readonly UsableGroup[]): Record<string, { desc: string; ratio: number }> =>
  Object.fromEntries(groups.map(({ name, description, ratio }) => [name, { desc: description, ratio }]));
