export { AuthenticatorApp } from './authenticator-app.entity.js';
export { FactorProofService } from './factor-proof.service.js';
export { FactorSignInService } from './factor-sign-in.service.js';
export { RecoveryCode } from './recovery-code.entity.js';
export { Passkey } from './passkey.entity.js';
export { PasskeyService } from './passkey.service.js';
export { SecondFactorService } from './second-factor.service.js';
