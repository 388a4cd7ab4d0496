import { Role } from './actor.js';

/** Values of the option `SecondFactorRequiredFor`. */
export const secondFactorRules = ['none', 'root', 'admins', 'everyone'] as const;
export type SecondFactorRule = (typeof secondFactorRules)[number];

/** The lowest role to which a rule applies. */
const leastRole: Readonly<Record<SecondFactorRule, number>> = {
  none: Infinity,
  root: Role.root,
  admins: Role.admin,
  everyone: Role.common,
};

/** Whether users of this role must have a second factor. */
export const needsSecondFactor = (role: number, rule: SecondFactorRule): boolean => role >= leastRole[rule];
