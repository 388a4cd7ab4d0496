import type { ComponentType } from 'react';
import type { ControlProps } from '../settings/AreaControl.js';
import type { Setting } from '../settings/settingKinds.js';
import { CapturesControl } from './CapturesControl.js';
import { GuardrailsControl } from './GuardrailsControl.js';

/** The editors of settings that are lists of rules, by their kind. */
export const ruleControls: Readonly<Partial<Record<Setting['kind'], ComponentType<ControlProps>>>> = {
  guardrails: GuardrailsControl,
  captures: CapturesControl,
};
