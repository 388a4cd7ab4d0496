export { InvitationService } from './invitation.service.js';
export { MemberService, type MemberView } from './member.service.js';
export { actorInOrganisation } from './organisation-access.js';
export { OrganisationService, type OrganisationView } from './organisation.service.js';
export { ProjectService, type ProjectView } from './project.service.js';
