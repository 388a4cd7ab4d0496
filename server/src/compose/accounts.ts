import {
  AccessToken,
  AccessTokenService,
  KnownBrowsers,
  OwnSessionsService,
  PasswordService,
  Session,
  SessionService,
  TurnstileService,
} from '../console/auth/index.js';
import { AuthService } from '../console/sign-in/index.js';
import { CheckInService } from '../console/check-in/index.js';
import { CustomRole, Invitation, Membership, Project, User, UserSettings } from '../billing/accounts/index.js';
import {
  actorInOrganisation,
  InvitationService,
  MemberService,
  OrganisationService,
  ProjectService,
} from '../console/organisations/index.js';
import { InviteService } from '../console/invites/index.js';
import { postEntry } from '../billing/ledger/index.js';
import {
  EmailBinding,
  EmailCodeService,
  Enrolment,
  PasswordResetService,
  RegistrationService,
} from '../console/registration/index.js';
import {
  AuthenticatorApp,
  FactorProofService,
  FactorSignInService,
  Passkey,
  PasskeyService,
  SecondFactorService,
} from '../console/second-factors/index.js';
import { Setup, SetupService } from '../console/setup/index.js';
import {
  AccountService,
  SettingService,
  UserLedger,
  UserService,
  UserSessionsService,
} from '../console/users/index.js';
import { NoticeDelivery, NoticeOutbox, NotificationService } from '../console/notifications/index.js';
import { TokenExpiryWatch } from '../console/tokens/token-expiry.jobs.js';
import { NoticeClock } from '../console/notifications/notice.jobs.js';
import {
  GitHubProvider,
  LinuxDoProvider,
  OAuthService,
  OidcProvider,
  optionOidcSettings,
  ProviderAccounts,
  SignInProvider,
  SignInProviderService,
  SignInStates,
  WeChatProvider,
} from '../console/oauth/index.js';
import { CustomRoleService } from '../console/roles/index.js';

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
    organisations: { actorInOrganisation: (actor, id) => actorInOrganisation(dataSource, actor, id) },
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

  // Organisations
  const members = new MemberService({
    memberships: dataSource.getRepository(Membership),
    changes,
    auditLog: auditService,
  });
  const organisationServices = {
    organisations: new OrganisationService({
      users,
      changes,
      auditLog: auditService,
      idempotency,
      state,
      options: optionService,
    }),
    members,
    projects: new ProjectService({ projects: dataSource.getRepository(Project), auditLog: auditService }),
    invitations: new InvitationService({
      invitations: dataSource.getRepository(Invitation),
      members,
      secrets,
      state,
      mailer,
      options: optionService,
      auditLog: auditService,
      clock,
    }),
  };

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
  const oidc = new OidcProvider(guardedFetch, () => optionOidcSettings(optionService.values));
  const signInProviders = new SignInProviderService({
    providers: dataSource.getRepository(SignInProvider),
    secrets,
    auditLog: auditService,
    changes,
    syncSeconds: config.syncSeconds,
  });
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
    rows: signInProviders,
    fetch: guardedFetch,
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
    signInProviders,
    secondFactors,
    factorSignIns,
    checkInService,
    inviteService,
    organisationServices,
    notifications,
  };
}
