import { AccessToken } from '../console/auth/access-token.entity.js';
import { AccessTokenService } from '../console/auth/access-token.service.js';
import { AuthService } from '../console/sign-in/auth.service.js';
import { KnownBrowsers } from '../console/auth/known-browser.js';
import { PasswordService } from '../console/auth/password.service.js';
import { Session } from '../console/auth/session.entity.js';
import { SessionService } from '../console/auth/session.service.js';
import { OwnSessionsService } from '../console/auth/own-sessions.service.js';
import { CheckInService } from '../console/check-in/check-in.service.js';
import { InviteService } from '../console/invites/invite.service.js';
import { postEntry } from '../billing/ledger/post-entry.service.js';
import { TurnstileService } from '../console/auth/turnstile.service.js';
import { EmailCodeService } from '../console/registration/email-code.service.js';
import { Enrolment } from '../console/registration/enrolment.service.js';
import { PasswordResetService } from '../console/registration/password-reset.service.js';
import { RegistrationService } from '../console/registration/registration.service.js';
import { AuthenticatorApp } from '../console/second-factors/authenticator-app.entity.js';
import { FactorProofService } from '../console/second-factors/factor-proof.service.js';
import { FactorSignInService } from '../console/second-factors/factor-sign-in.service.js';
import { Passkey } from '../console/second-factors/passkey.entity.js';
import { PasskeyService } from '../console/second-factors/passkey.service.js';
import { SecondFactorService } from '../console/second-factors/second-factor.service.js';
import { Setup } from '../console/setup/setup.entity.js';
import { SetupService } from '../console/setup/setup.service.js';
import { SettingService } from '../console/users/setting.service.js';
import { UserSettings } from '../console/users/user-setting.service.js';
import { NoticeDelivery } from '../console/notifications/delivery.service.js';
import { TokenExpiryWatch } from '../console/tokens/token-expiry.jobs.js';
import { NoticeOutbox } from '../console/notifications/notice-outbox.service.js';
import { NoticeClock } from '../console/notifications/notice.jobs.js';
import { NotificationService } from '../console/notifications/notification.service.js';
import { GitHubProvider } from '../console/oauth/github-provider.js';
import { LinuxDoProvider } from '../console/oauth/linux-do-provider.js';
import { OAuthService } from '../console/oauth/oauth.service.js';
import { OidcProvider } from '../console/oauth/oidc-provider.js';
import { ProviderAccounts } from '../console/oauth/provider-account.service.js';
import { SignInStates } from '../console/oauth/sign-in-state.service.js';
import { WeChatProvider } from '../console/oauth/wechat-provider.js';
import { EmailBinding } from '../console/registration/email-binding.service.js';
import { CustomRole } from '../console/roles/custom-role.entity.js';
import { CustomRoleService } from '../console/roles/custom-role.service.js';
import { AccountService } from '../console/users/account.service.js';
import { UserLedger } from '../console/users/user-ledger.service.js';
import { User } from '../console/users/user.entity.js';
import { UserSessionsService } from '../console/users/user-sessions.service.js';
import { UserService } from '../console/users/user.service.js';

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
    sessions,
    secrets,
    changes,
    auditLog: auditService,
    clock,
  });
  const turnstile = new TurnstileService({
    fetch: guardedFetch,
    state,
    options: optionService,
    baseUrl: config.signIn.turnstile,
  });
  const customRoles = new CustomRoleService({
    roles: dataSource.getRepository(CustomRole),
    auditLog: auditService,
    changes,
    idempotency,
  });
  const authService = new AuthService({
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
    options: optionService,
    clock,
  });
  const userLedger = new UserLedger({
    postEntry,
    usageLog: logService,
    auditLog: auditService,
    options: optionService,
  });
  const userService = new UserService({
    users,
    userLedger,
    passwords,
    sessions,
    changes,
    idempotency,
    secrets,
    options: optionService,
  });
  const userSessions = new UserSessionsService({
    sessions: dataSource.getRepository(Session),
    sessionService: sessions,
    users: userService,
    userLedger,
    changes,
    clock,
  });
  const settings = new UserSettings(secrets);
  const accountService = new AccountService({
    users,
    passwords,
    sessions,
    secrets,
    settings,
    changes,
    auditLog: auditService,
    state,
    mailer,
    logger,
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
    users,
    apps,
    proofs,
    passkeys,
    sessions,
    secrets,
    changes,
    clock,
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
    users,
    passwords,
    sessions,
    state,
    mailer,
    secrets,
    changes,
    auditLog: auditService,
    options: optionService,
  });
  const emailBinding = new EmailBinding({
    auth: authService,
    users,
    sessions,
    codes,
    changes,
    mailer,
    auditLog: auditService,
    options: optionService,
  });
  const oidc = new OidcProvider(guardedFetch, optionService);
  const oauthService = new OAuthService({
    auth: authService,
    states: new SignInStates(state),
    accounts: new ProviderAccounts({
      users,
      sessions,
      enrolment,
      changes,
      auditLog: auditService,
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
    users,
    settings,
    changes,
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
    database: dataSource,
    settings,
    logger,
    delivery: new NoticeDelivery({ mailer, fetch: guardedFetch, options: optionService, clock, state }),
  });
  shutdown.onStop('tries of notices', () => outbox.stop());
  const noticeClock = new NoticeClock(outbox);
  noticeClock.start();
  shutdown.onStop('notice clock', () => noticeClock.stop());
  const notifications = new NotificationService({
    database: dataSource,
    state,
    outbox,
    clock,
    logger,
    options: optionService,
    limit: config.notifyLimit,
  });
  shutdown.onStop('notices', () => notifications.stop());
  const keyExpiry = new TokenExpiryWatch({
    database: dataSource,
    notices: notifications,
    clock,
    report: (err) => logger.warn({ err }, 'keys that expire soon could not be announced'),
  });
  keyExpiry.start();
  shutdown.onStop('notices of expiring keys', () => keyExpiry.stop());
  authService.watchNewBrowsers(({ userId, origin }) => notifications.newBrowser(userId, origin));

  return {
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
    registrationService,
    passwordResetService,
    emailBinding,
    oauthService,
    secondFactors,
    factorSignIns,
    checkInService,
    inviteService,
    notifications,
  };
}
