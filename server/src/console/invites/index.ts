export { InviteService } from './invite.service.js';
