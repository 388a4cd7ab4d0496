export { GuardrailTrialService, type TrialResult } from './guardrail-trial.service.js';
