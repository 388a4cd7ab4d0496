import { AccessToken } from '../modules/auth/access-token.entity.js';
import { AccessTokenService } from '../modules/auth/access-token.service.js';
import { AuthService } from '../modules/auth/auth.service.js';
import { KnownBrowsers } from '../modules/auth/known-browser.js';
import { PasswordService } from '../modules/auth/password.service.js';
import { Session } from '../modules/auth/session.entity.js';
import { SessionService } from '../modules/auth/session.service.js';
import { OwnSessionsService } from '../modules/auth/own-sessions.service.js';
import { CheckInService } from '../modules/check-in/check-in.service.js';
import { InviteService } from '../modules/invites/invite.service.js';
import { postEntry } from '../modules/quota/post-entry.service.js';
import { TurnstileService } from '../modules/auth/turnstile.service.js';
import { EmailCodeService } from '../modules/registration/email-code.service.js';
import { Enrolment } from '../modules/registration/enrolment.service.js';
import { PasswordResetService } from '../modules/registration/password-reset.service.js';
import { RegistrationService } from '../modules/registration/registration.service.js';
import { AuthenticatorApp } from '../modules/second-factors/authenticator-app.entity.js';
import { FactorProofService } from '../modules/second-factors/factor-proof.service.js';
import { FactorSignInService } from '../modules/second-factors/factor-sign-in.service.js';
import { Passkey } from '../modules/second-factors/passkey.entity.js';
import { PasskeyService } from '../modules/second-factors/passkey.service.js';
import { SecondFactorService } from '../modules/second-factors/second-factor.service.js';
import { Setup } from '../modules/setup/setup.entity.js';
import { SetupService } from '../modules/setup/setup.service.js';
import { SettingService } from '../modules/users/setting.service.js';
import { UserSettings } from '../modules/users/user-setting.service.js';
import { NoticeDelivery } from '../modules/notifications/delivery.service.js';
import { TokenExpiryWatch } from '../modules/tokens/token-expiry.jobs.js';
import { NoticeOutbox } from '../modules/notifications/notice-outbox.service.js';
import { NoticeClock } from '../modules/notifications/notice.jobs.js';
import { NotificationService } from '../modules/notifications/notification.service.js';
import { GitHubProvider } from '../modules/oauth/github-provider.js';
import { LinuxDoProvider } from '../modules/oauth/linux-do-provider.js';
import { OAuthService } from '../modules/oauth/oauth.service.js';
import { OidcProvider } from '../modules/oauth/oidc-provider.js';
import { ProviderAccounts } from '../modules/oauth/provider-account.service.js';
import { SignInStates } from '../modules/oauth/sign-in-state.service.js';
import { WeChatProvider } from '../modules/oauth/wechat-provider.js';
import { EmailBinding } from '../modules/registration/email-binding.service.js';
import { CustomRole } from '../modules/roles/custom-role.entity.js';
import { CustomRoleService } from '../modules/roles/custom-role.service.js';
import { AccountService } from '../modules/users/account.service.js';
import { UserBooks } from '../modules/users/user-books.service.js';
import { User } from '../modules/users/user.entity.js';
import { UserSessionsService } from '../modules/users/user-sessions.service.js';
import { UserService } from '../modules/users/user.service.js';

export type Accounts = Awaited<ReturnType<typeof composeAccounts>>;
import type { Catalogue } from './catalogue.js';
import type { Platform } from './platform.js';

/** Sign-in, users' own accounts, administration of users, and notifications. */
export async function composeAccounts(platform: Platform, { tokenService }: Catalogue) {
  const { config, shutdown, logger, database, dataSource, clock, secrets, state, changes } = platform;
  const { logService, auditService, optionService, idempotency, outboundGuard, guardedFetch, mailer } = platform;
  const users = dataSource.getRepository(User);
  const passwords = new PasswordService(platform.passwordStrength);
  const sessions = new SessionService(dataSource.getRepository(Session), database.sessionSecret, clock);
  const knownBrowsers = new KnownBrowsers(database.sessionSecret, clock);
  const accessTokens = new AccessTokenService({
    accessTokens: dataSource.getRepository(AccessToken),
    ...{ sessions, secrets, changes, auditLog: auditService, clock },
  });
  const turnstile = new TurnstileService({
    fetch: guardedFetch,
    state,
    options: optionService,
    baseUrl: config.signIn.turnstile,
  });
  const customRoles = new CustomRoleService({
    ...{ roles: dataSource.getRepository(CustomRole), auditLog: auditService, changes, idempotency },
  });
  const authService = new AuthService({
    ...{
      users,
      roles: customRoles,
      sessions,
      knownBrowsers,
      accessTokens,
      passwords,
      turnstile,
      secrets,
      state,
      changes,
    },
    options: optionService,
    clock,
  });
  const books = new UserBooks({ postEntry, usageLog: logService, auditLog: auditService, options: optionService });
  const userService = new UserService({
    ...{ users, books, passwords, sessions, changes, idempotency, secrets },
    options: optionService,
  });
  const userSessions = new UserSessionsService({
    ...{
      sessions: dataSource.getRepository(Session),
      sessionService: sessions,
      users: userService,
      books,
      changes,
      clock,
    },
  });
  const settings = new UserSettings(secrets);
  const accountService = new AccountService({
    ...{ users, passwords, sessions, secrets, settings, changes, auditLog: auditService, state, mailer, logger },
    options: optionService,
  });
  const setupService = new SetupService({
    setups: dataSource.getRepository(Setup),
    options: optionService,
    passwords,
    postEntry,
    changes,
    clock,
    sessionSecret: database.sessionSecret,
  });
  await setupService.start();

  // Second factors
  const passkeys = new PasskeyService({ passkeys: dataSource.getRepository(Passkey), state, clock });
  const apps = dataSource.getRepository(AuthenticatorApp);
  const proofs = new FactorProofService({ apps, passkeys, secrets, state, clock });
  const secondFactors = new SecondFactorService({
    ...{ users, apps, proofs, passkeys, sessions, secrets, changes, clock },
    auditLog: auditService,
    options: optionService,
  });
  const factorSignIns = new FactorSignInService({ users, auth: authService, sessions, proofs, passkeys, state });

  // Sign-in and registration
  const codes = new EmailCodeService({ users, state, mailer, secrets, options: optionService });
  const enrolment = new Enrolment({ postEntry, usageLog: logService, options: optionService });
  const registrationService = new RegistrationService({
    users,
    auth: authService,
    passwords,
    codes,
    enrolment,
    tokens: tokenService,
    options: optionService,
    generateDefaultToken: config.generateDefaultToken,
  });
  const passwordResetService = new PasswordResetService({
    auth: authService,
    ...{ users, passwords, sessions, state, mailer, secrets, changes, auditLog: auditService },
    options: optionService,
  });
  const emailBinding = new EmailBinding({
    auth: authService,
    ...{ users, sessions, codes, changes, mailer, auditLog: auditService },
    options: optionService,
  });
  const oidc = new OidcProvider(guardedFetch, optionService);
  const oauthService = new OAuthService({
    auth: authService,
    states: new SignInStates(state),
    accounts: new ProviderAccounts({
      ...{ users, sessions, enrolment, changes, auditLog: auditService },
      options: optionService,
    }),
    providers: {
      github: new GitHubProvider(guardedFetch, optionService, config.signIn),
      oidc,
      linuxdo: new LinuxDoProvider(guardedFetch, optionService, config.signIn.linuxDo),
    },
    oidc,
    wechat: new WeChatProvider(guardedFetch, optionService),
    options: optionService,
    clock,
  });

  // The user's own account
  const ownSessions = new OwnSessionsService(dataSource.getRepository(Session), changes, clock);
  const settingService = new SettingService({
    ...{ users, settings, changes },
    checkUrl: (url) => outboundGuard.checkUrl(url, 'public-only'),
  });
  await settingService.start();
  const checkInService = new CheckInService({ users, postEntry, usageLog: logService, options: optionService, clock });
  const inviteService = new InviteService({
    users,
    postEntry,
    idempotency,
    usageLog: logService,
    options: optionService,
  });

  // Notifications
  const outbox = new NoticeOutbox({
    ...{ database: dataSource, settings, logger },
    delivery: new NoticeDelivery({ mailer, fetch: guardedFetch, options: optionService, clock, state }),
  });
  shutdown.onStop('tries of notices', () => outbox.stop());
  const noticeClock = new NoticeClock(outbox);
  noticeClock.start();
  shutdown.onStop('notice clock', () => noticeClock.stop());
  const notifications = new NotificationService({
    ...{ database: dataSource, state, outbox, clock, logger },
    options: optionService,
    limit: config.notifyLimit,
  });
  shutdown.onStop('notices', () => notifications.stop());
  const keyExpiry = new TokenExpiryWatch({
    ...{ database: dataSource, notices: notifications, clock },
    report: (err) => logger.warn({ err }, 'keys that expire soon could not be announced'),
  });
  keyExpiry.start();
  shutdown.onStop('notices of expiring keys', () => keyExpiry.stop());
  authService.watchNewBrowsers(({ userId, origin }) => notifications.newBrowser(userId, origin));

  return {
    ...{
      settings,
      authService,
      userService,
      customRoles,
      userSessions,
      accountService,
      setupService,
      ownSessions,
      accessTokens,
      settingService,
    },
    ...{ registrationService, passwordResetService, emailBinding, oauthService, secondFactors, factorSignIns },
    ...{ checkInService, inviteService, notifications },
  };
}
