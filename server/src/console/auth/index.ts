export { AccessToken } from './access-token.entity.js';
export { AccessTokenService, namedTokenPrefix } from './access-token.service.js';
export { KnownBrowsers } from './known-browser.js';
export { openSessions, type OwnSession, OwnSessionsService } from './own-sessions.service.js';
export { PasswordService, type PasswordStrength } from './password.service.js';
export { Session } from './session.entity.js';
export {
  AccountChangedError,
  type NewSession,
  notWaiting,
  type SessionOrigin,
  SessionService,
} from './session.service.js';
export { type Challenge, TurnstileService } from './turnstile.service.js';
export { assertMayActOn, tooHigh } from './user-rank.js';
