import type { LogType } from './logs.generated.js';

export const typeLabels = {
  UNKNOWN: 'fields.unknown',
  TOP_UP: 'logs.typeTopUp',
  CONSUME: 'logs.typeConsume',
  MANAGE: 'logs.typeManage',
  SYSTEM: 'logs.typeSystem',
  CHECK_IN: 'logs.typeCheckIn',
  ERROR: 'logs.typeError',
  TEST: 'logs.typeTest',
} as const satisfies Record<LogType, string>;
