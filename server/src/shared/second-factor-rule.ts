import { leastAdministrator, ranks } from './actor.js';

/** Values of the option `SecondFactorRequiredFor`. */
export const secondFactorRules = ['none', 'root', 'admins', 'everyone'] as const;
export type SecondFactorRule = (typeof secondFactorRules)[number];

/** The lowest rank to which a rule applies. A user with a custom role counts as an admin. */
const leastRank: Readonly<Record<SecondFactorRule, number>> = {
  none: Infinity,
  root: ranks.root,
  admins: leastAdministrator,
  everyone: ranks.common,
};

/** Whether users of this rank (`rankOf`) must have a second factor. */
export const needsSecondFactor = (rank: number, rule: SecondFactorRule): boolean => rank >= leastRank[rule];
